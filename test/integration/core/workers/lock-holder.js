// Holds a lock until its parent disconnects or kills it.
const [modules, file] = process.argv.slice(2);
const { lockFile } = await import(`${modules}/core/lock.js`);
const lock = await lockFile(file);
process.on('disconnect', () => lock.release());
process.send('held');
