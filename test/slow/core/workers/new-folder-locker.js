/** Locks a file of its own in each new folder, at the same time as another thread, and sends how many it did not get. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

const { modules, folder, name, rounds, counter } = workerData;
const { tryLockFile } = await import(`${modules}/core/lock.js`);
const arrived = new Int32Array(counter);
// Loads the addon.
(await tryLockFile(join(folder, name))).release();
let missed = 0;
for (let round = 1; round <= rounds; round += 1) {
  Atomics.add(arrived, 0, 1);
  while (Atomics.load(arrived, 0) < 2 * round);
  const lock = await tryLockFile(join(folder, String(round), name));
  if (!lock) missed += 1;
  lock?.release();
}
parentPort.postMessage(missed);
