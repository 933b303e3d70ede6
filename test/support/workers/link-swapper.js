// Runs as another user: puts a file of its own, or one that exists, and a link to `target` in turn at `path`, until it is ended.
import { linkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';

const [path, target, uid, file] = process.argv.slice(2);
process.setgid(Number(uid));
process.setuid(Number(uid));

const next = `${path}.next`;
const swapIn = (make) => {
  try {
    rmSync(next, { force: true });
    make();
    renameSync(next, path);
  } catch {
    // The other process has the name.
  }
};
const turn = () => {
  for (let count = 0; count < 50; count += 1) {
    swapIn(() => (file ? linkSync(file, next) : writeFileSync(next, 'planted')));
    swapIn(() => symlinkSync(target, next));
  }
  globalThis.setImmediate(turn);
};
process.stdout.write('swapping\n');
turn();
