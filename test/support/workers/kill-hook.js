/**
 * Imported before the program: `KILL_AT=n` kills the process before its n-th change of a file. `KILL_BELOW=folder` counts
 * only changes in that folder. `KILL_COUNT=file` receives the number of changes. `KILL_COPIES=folder` receives a copy of
 * `KILL_BELOW` as it is before each change, named by its number: what a kill leaves at that moment, hard links and times
 * included. `KILL_COPIED` is copied instead, if it is set, and `KILL_COPIES_AT=1,5` copies before these changes alone.
 * There is no copy where another change is under way, since that may end between two steps of it. What leaves the files
 * as they are is not counted, since a kill before it does the same as one after it: fsync, making a folder that exists,
 * removing one that is not empty.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { KILL_AT, KILL_BELOW, KILL_COPIES, KILL_COPIES_AT, KILL_COUNT } = process.env;
const { KILL_COPIED = KILL_BELOW } = process.env;
const copiedAt = KILL_COPIES_AT?.split(',').map(Number);
const writeFile = fs.writeFileSync;
let changes = 0;
let underWay = 0;

/** By the FileHandle, or the descriptor. */
const paths = new Map();

function onChange(name, [path], target) {
  const changed = String(paths.get(target) ?? paths.get(path) ?? path);
  if (KILL_BELOW !== undefined && !changed.startsWith(KILL_BELOW)) return;
  if (/^mkdir/.test(name) && fs.existsSync(changed)) return;
  if (/^rmdir/.test(name) && isFilled(changed)) return;
  changes += 1;
  if (changes === Number(KILL_AT)) {
    process.kill(process.pid, 'SIGKILL');
    for (;;);
  }
  const isCopied = KILL_COPIES !== undefined && (copiedAt?.includes(changes) ?? true);
  if (isCopied && underWay === 0) copy(`${KILL_COPIES}/${changes}`);
}

function copy(target) {
  const { status } = spawnSync('cp', ['-a', KILL_COPIED, target], {
    env: { PATH: process.env.PATH },
  });
  if (status !== 0) throw new Error(`no copy of ${KILL_COPIED} at change ${changes}`);
}

function isFilled(folder) {
  try {
    return fs.readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}

const opensForWriting = ([, flags]) =>
  typeof flags === 'number' ? (flags & 3) !== 0 : /[wa+]/.test(String(flags));
// Standard output and standard error are not files.
const isFile = ([target]) => typeof target !== 'number' || target > 2;

function wrap(object, name, counts = isFile) {
  const original = object[name];
  if (typeof original !== 'function') return;
  const wrapped = function (...args) {
    if (!counts(args)) return original.apply(this, args);
    onChange(name, args, this);
    const end = () => (underWay -= 1);
    const done = args.at(-1);
    if (typeof done === 'function') {
      underWay += 1;
      args[args.length - 1] = (...results) => {
        end();
        done(...results);
      };
    }
    const result = original.apply(this, args);
    if (typeof result?.then === 'function') {
      underWay += 1;
      result.then(end, end);
    }
    return result;
  };
  // What promisify needs.
  for (const symbol of Object.getOwnPropertySymbols(original)) wrapped[symbol] = original[symbol];
  object[name] = wrapped;
}

const CHANGES =
  'appendFile chmod copyFile fchmod link mkdir rename rm rmdir truncate unlink utimes write writeFile';
for (const name of CHANGES.split(' ')) {
  wrap(fs, `${name}Sync`);
  wrap(fs.promises, name);
}
// The bundle's (scripts/bundle/callback-fs.js).
const CALLBACKS = 'fchmod futimes link mkdir rename rm rmdir unlink utimes write writev';
for (const name of CALLBACKS.split(' ')) wrap(fs, name);
wrap(fs, 'open', opensForWriting);
wrap(fs, 'openSync', opensForWriting);
const { open: openDescriptor, openSync } = fs;
fs.openSync = (...args) => {
  const descriptor = openSync(...args);
  paths.delete(descriptor);
  return descriptor;
};
fs.open = (path, ...args) => {
  const done = args.pop();
  openDescriptor(path, ...args, (error, descriptor) => {
    if (!error) paths.set(descriptor, path);
    done(error, descriptor);
  });
};
wrap(fs.promises, 'open', opensForWriting);
const { open } = fs.promises;
fs.promises.open = async (path, ...args) => {
  const handle = await open(path, ...args);
  paths.set(handle, path);
  return handle;
};
const probe = await fs.promises.open(process.execPath);
const handle = Object.getPrototypeOf(probe);
await probe.close();
for (const name of ['appendFile', 'chmod', 'write', 'writeFile', 'writev']) wrap(handle, name);
syncBuiltinESMExports();
process.on('exit', () => {
  if (KILL_COUNT) writeFile(KILL_COUNT, String(changes));
});
