// Holds a lock until its parent disconnects or kills it.
import { openSync } from 'node:fs';

const [modules, file, how] = process.argv.slice(2);
const { lockFile, tryLockOpenFile } = await import(`${modules}/core/lock.js`);
const lock =
  how === 'try' ? await tryLockOpenFile(file, openSync(file, 'a')) : await lockFile(file);
process.on('disconnect', () => lock?.release());
process.send(lock ? 'held' : 'not held');
