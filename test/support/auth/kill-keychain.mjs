// Imported before the program: kills the program before the KILL_AT-th change of the keychain, which a child process of it makes.
import { AsyncEntry } from 'keytar';

let changes = 0;
for (const name of ['setSecret', 'deleteCredential']) {
  const original = AsyncEntry.prototype[name];
  Object.defineProperty(AsyncEntry.prototype, name, {
    value(...args) {
      changes += 1;
      if (changes === Number(process.env.KILL_AT)) {
        process.kill(process.ppid, 'SIGKILL');
        process.kill(process.pid, 'SIGKILL');
        for (;;);
      }
      return original.apply(this, args);
    },
  });
}
