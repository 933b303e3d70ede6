/** What the bundle has in place of node:fs/promises does what that does, as far as the program uses it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as promises from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

type Files = typeof promises;

const url = new URL('../../../scripts/bundle/callback-fs.js', import.meta.url).href;
const callbacks = (await import(url)) as Files;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-files-'));
  writeFileSync(join(folder, 'text'), 'twelve bytes');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
const failure = (operation: Promise<unknown>) => operation.then(() => 'none', codeOf);

const OPERATIONS: Readonly<Record<string, (files: Files) => Promise<unknown>>> = {
  'reads at a position, or on from the last one': async ({ open }) => {
    const handle = await open(join(folder, 'text'));
    const buffer = Buffer.alloc(6);
    const read = [await handle.read(buffer, 0, 6, 3), await handle.read(buffer, 2, 4)];
    const { size } = await handle.stat();
    const { size: exact } = await handle.stat({ bigint: true });
    await handle.close();
    return [read.map(({ bytesRead }) => bytesRead), buffer.toString(), size, exact];
  },
  'writes at a position, in turn, and from a list': async ({ open }) => {
    const handle = await open(join(folder, 'new'), 'wx', 0o600);
    await handle.writev([Buffer.from('ab'), Buffer.from('cd')]);
    await handle.write(Buffer.from('xxYxx'), 2, 1, 1);
    await handle.writeFile('ef');
    await handle.writeFile(Buffer.from('g'));
    await handle.sync();
    await handle.datasync();
    await handle.chmod(0o640);
    const { uid, gid } = await handle.stat();
    await handle.chown(uid, gid);
    await handle.utimes(1, 2);
    const { mode, mtimeMs } = await handle.stat();
    await handle.close();
    return [readFileSync(join(folder, 'new'), 'utf8'), mode, mtimeMs];
  },
  'asks for a part when the one before is written': async ({ open, writeFile }) => {
    const file = join(folder, 'parts');
    const handle = await open(file, 'wx');
    const seen: number[] = [];
    function* parts() {
      for (const part of ['one', 'two']) {
        seen.push(readFileSync(file).length);
        yield Buffer.from(part);
      }
    }
    await writeFile(handle, parts());
    await handle.close();
    return [seen, readFileSync(file, 'utf8')];
  },
  'appends, and writes a file by its path': async ({ open, writeFile, readFile }) => {
    const handle = await open(join(folder, 'text'), 'a');
    await handle.appendFile(' and more');
    await handle.close();
    await writeFile(join(folder, 'path'), 'x', { flag: 'wx' });
    return [
      await readFile(join(folder, 'text'), 'utf8'),
      readFileSync(join(folder, 'path'), 'utf8'),
    ];
  },
  'reads a whole file from where it is': async ({ open }) => {
    const handle = await open(join(folder, 'text'));
    await handle.read(Buffer.alloc(7), 0, 7);
    const rest = await handle.readFile('utf8');
    await handle.close();
    return rest;
  },
  'a stream closes its file, except without autoClose': async ({ open }) => {
    const closed = await open(join(folder, 'text'));
    const first = await text(closed.createReadStream());
    await closed.close();
    const kept = await open(join(folder, 'text'));
    const second = await text(kept.createReadStream({ autoClose: false, encoding: 'utf8' }));
    const { size } = await kept.stat();
    await kept.close();
    return [first, second, size, (await failure(closed.stat())) !== 'none'];
  },
  'a second close does nothing': async ({ open }) => {
    const handle = await open(join(folder, 'text'));
    await handle.close();
    const other = await open(join(folder, 'text'));
    await handle.close();
    const { size } = await other.stat();
    await other.close();
    return [size, handle.fd];
  },
  'fails with the same codes': async ({ open, opendir, readFile, rm, writeFile, rmdir }) => [
    await failure(open(join(folder, 'missing'))),
    await failure(open(join(folder, 'text'), 'wx')),
    await failure(opendir(join(folder, 'text'))),
    await failure(readFile(folder)),
    await failure(rm(join(folder, 'missing'))),
    await failure(rm(join(folder, 'missing'), { force: true })),
    await failure(rmdir(folder)),
    await failure(writeFile(join(folder, 'text'), '', { flag: 'wx' })),
  ],
};

test.each(Object.keys(OPERATIONS))('%s', async (name) => {
  const act = OPERATIONS[name];
  const results: unknown[] = [];
  for (const files of [promises, callbacks]) {
    results.push(await act?.(files));
    for (const made of ['new', 'parts', 'path']) rmSync(join(folder, made), { force: true });
    writeFileSync(join(folder, 'text'), 'twelve bytes');
  }
  expect(results[1]).toEqual(results[0]);
  expect(results[0]).toBeDefined();
});

test('it has each method of a file handle that the sources name', async () => {
  const [handle, ours] = await Promise.all(
    [promises, callbacks].map(({ open }) => open(join(folder, 'text'))),
  );
  await Promise.all([handle?.close(), ours?.close()]);
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(handle));
  const lacking = methods.filter((name) => !(name in (ours ?? {})));
  expect(lacking).not.toEqual([]);
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('practice-server'))
    .map((name) => readFileSync(join('src', name), 'utf8'));
  const named = lacking.filter((name) => sources.some((text) => text.includes(`.${name}(`)));
  expect(named).toEqual([]);
});
