/** Adds one to the number in a file, as many times as requested, each time under a lock. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const [modules, lockPath, numberFile, times] = process.argv.slice(2);
const { lockFile } = await import(`${modules}/core/lock.js`);
for (let count = 0; count < Number(times); count += 1) {
  const lock = await lockFile(lockPath);
  const number = existsSync(numberFile) ? Number(readFileSync(numberFile, 'utf8')) : 0;
  writeFileSync(numberFile, String(number + 1));
  lock.release();
}
process.disconnect();
