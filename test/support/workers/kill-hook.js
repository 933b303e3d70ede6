/**
 * Imported before the program: `KILL_AT=n` kills the process before its n-th change of a file. `KILL_BELOW=folder` counts
 * only changes in that folder. `KILL_COUNT=file` receives the number of changes. What leaves the files as they are is not
 * counted, since a kill before it does the same as one after it: fsync, making a folder that exists, removing one that is
 * not empty.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { KILL_AT, KILL_BELOW, KILL_COUNT } = process.env;
const writeFile = fs.writeFileSync;
let changes = 0;

const paths = new WeakMap();

function onChange(name, [path], target) {
  const changed = String(paths.get(target) ?? path);
  if (KILL_BELOW !== undefined && !changed.startsWith(KILL_BELOW)) return;
  if (/^mkdir/.test(name) && fs.existsSync(changed)) return;
  if (/^rmdir/.test(name) && isFilled(changed)) return;
  changes += 1;
  if (changes === Number(KILL_AT)) {
    process.kill(process.pid, 'SIGKILL');
    for (;;);
  }
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
  object[name] = function (...args) {
    if (counts(args)) onChange(name, args, this);
    return original.apply(this, args);
  };
}

const CHANGES =
  'appendFile chmod copyFile fchmod link mkdir rename rm rmdir truncate unlink utimes write writeFile';
for (const name of CHANGES.split(' ')) {
  wrap(fs, `${name}Sync`);
  wrap(fs.promises, name);
}
wrap(fs, 'openSync', opensForWriting);
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
