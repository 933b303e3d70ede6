// Publishes files under names that other processes want too, each when its parent says so.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { dist, folder, own, how } = JSON.parse(process.argv[2]);
const publish = await import(`${dist}/core/publish.js`);

process.on('message', async (name) => {
  const tmpFile = join(folder, `.${own}.tmp`);
  writeFileSync(tmpFile, own);
  process.send({ name, own, published: await publish[how](tmpFile, join(folder, name)) });
});
process.send({ ready: true });
