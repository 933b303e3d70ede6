/** Imported before the program: writes each sync of a file or folder, and each write, to `SYNC_LOG=file`. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { appendFileSync, open } = fs;
const paths = new Map();

fs.open = (path, ...args) => {
  const done = args.pop();
  open(path, ...args, (error, descriptor) => {
    if (!error) paths.set(descriptor, path);
    done(error, descriptor);
  });
};

for (const name of ['fsync', 'write']) {
  const original = fs[name];
  const logged = (descriptor, ...args) => {
    const done = args.pop();
    original(descriptor, ...args, (...results) => {
      const path = paths.get(descriptor);
      if (path !== undefined) appendFileSync(process.env.SYNC_LOG, `${name} ${path}\n`);
      done(...results);
    });
  };
  // What promisify needs.
  for (const symbol of Object.getOwnPropertySymbols(original)) logged[symbol] = original[symbol];
  fs[name] = logged;
}
syncBuiltinESMExports();
