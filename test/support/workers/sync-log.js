/** Imported before the program: writes each sync of a file or folder, and each appended text, to `SYNC_LOG=file`. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { appendFileSync } = fs;
const { open } = fs.promises;
const log = (...words) => appendFileSync(process.env.SYNC_LOG, `${words.join(' ')}\n`);

fs.promises.open = async (path, ...args) => {
  const handle = await open(path, ...args);
  for (const name of ['sync', 'appendFile']) {
    const original = handle[name].bind(handle);
    handle[name] = async (...values) => {
      const result = await original(...values);
      log(name, path);
      return result;
    };
  }
  return handle;
};
syncBuiltinESMExports();
