// Runs command lines where one way of reading the files below `faulty` fails, as a failing disk or a bug makes it.
// Prints what became of each as JSON.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

const { modules, fault, commands, env } = JSON.parse(process.argv[2]);
const [operation, kind] = fault.split(' ');
const faultyDescriptors = new Set();
const isFaulty = (path) => /[\\/]faulty/.test(String(path));

function failure() {
  if (kind === 'TypeError') return new TypeError('Cannot read properties of undefined');
  return Object.assign(new Error(`${kind}: i/o error, ${operation}`), {
    code: kind,
    errno: -5,
    syscall: operation,
  });
}

/** Replaces a function of `owner`, with a callback, synchronous or with a promise. */
function replace(owner, name, fails, mode) {
  const original = owner[name];
  const replaced = function (first, ...rest) {
    if (!fails(first)) return original.call(this, first, ...rest);
    if (mode === 'sync') throw failure();
    if (mode === 'promise') return Promise.reject(failure());
    process.nextTick(rest.at(-1), failure());
  };
  // What promisify needs.
  for (const symbol of Object.getOwnPropertySymbols(original)) replaced[symbol] = original[symbol];
  owner[name] = replaced;
}

const isFaultyDescriptor = (descriptor) => faultyDescriptors.has(descriptor);
const { open, openSync, close, closeSync } = fs;
const openHandle = fs.promises.open;
if (operation === 'open') {
  replace(fs, 'open', isFaulty, 'callback');
  replace(fs, 'openSync', isFaulty, 'sync');
  replace(fs.promises, 'open', isFaulty, 'promise');
} else if (operation === 'readdir') {
  replace(fs.promises, operation, isFaulty, 'promise');
} else if (operation === 'lstat') {
  replace(fs, operation, isFaulty, 'callback');
  replace(fs, `${operation}Sync`, isFaulty, 'sync');
  replace(fs.promises, operation, isFaulty, 'promise');
} else {
  fs.open = (path, ...rest) => {
    const done = rest.pop();
    open(path, ...rest, (error, descriptor) => {
      if (!error && isFaulty(path)) faultyDescriptors.add(descriptor);
      done(error, descriptor);
    });
  };
  fs.openSync = (path, ...rest) => {
    const descriptor = openSync(path, ...rest);
    if (isFaulty(path)) faultyDescriptors.add(descriptor);
    return descriptor;
  };
  fs.close = (descriptor, done) => {
    faultyDescriptors.delete(descriptor);
    close(descriptor, done);
  };
  fs.closeSync = (descriptor) => {
    faultyDescriptors.delete(descriptor);
    closeSync(descriptor);
  };
  fs.promises.open = async (path, ...rest) => {
    const handle = await openHandle(path, ...rest);
    if (!isFaulty(path)) return handle;
    const names = operation === 'fstat' ? ['stat'] : ['read', 'readFile'];
    for (const name of names) handle[name] = () => Promise.reject(failure());
    if (operation === 'read')
      handle.createReadStream = () =>
        new Readable({
          read() {
            this.destroy(failure());
          },
        });
    return handle;
  };
  replace(fs, operation, isFaultyDescriptor, 'callback');
  replace(fs, `${operation}Sync`, isFaultyDescriptor, 'sync');
}
syncBuiltinESMExports();

const uncaught = [];
process.on('uncaughtException', (error) => uncaught.push(String(error)));
const load = (module) => import(`${modules}/${module}.js`);
const { redactorFor } = await load('config/environment');
const { pathsFrom } = await load('config/paths');
const { runArgs } = await load('cli/run-process');
const { safeStream } = await load('cli/output/safe-stream');
const { systemClock } = await load('core/clock');
const { systemKeychains } = await load('service/keychain');

const results = {};
for (const [name, words] of Object.entries(commands)) {
  const streams = [new PassThrough(), new PassThrough()];
  const printed = Promise.all(streams.map((stream) => text(stream)));
  const code = await runArgs(words, {
    env,
    stdin: Readable.from(['']),
    stdout: safeStream(streams[0]),
    stderr: safeStream(streams[1]),
    clock: systemClock,
    openKeychain: systemKeychains(systemClock),
    signal: new globalThis.AbortController().signal,
    paths: pathsFrom(env),
    redactor: redactorFor(env),
  });
  for (const stream of streams) stream.end();
  const [stdout, stderr] = await printed;
  results[name] = { code, stdout, stderr };
}
process.stdout.write(JSON.stringify({ results, uncaught }));
process.exit(0);
