/** `tankobon sync import` of files that other people made: memory is bounded, whatever they contain. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { start } from '../../support/command.js';
import { bytesField, tachibk } from '../../support/tachibk.js';
import { longRunRows } from '../../support/long-run.js';

/** A list with an element for each line of these files takes more. */
const NODE_OPTIONS = '--max-old-space-size=160';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-import-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function importFile(content: string | Buffer, ...options: readonly string[]) {
  const file = join(folder, 'file');
  writeFileSync(file, content);
  const words = ['sync', 'import', '--file', join(folder, 'list.yaml'), ...options, file];
  const env = { TANKOBON_HOME: join(folder, 'home'), NODE_OPTIONS };
  return start(words, { env }).finished;
}

test('a history of 150,000 chapters is imported', async () => {
  const ids = Array.from(
    { length: 150_000 },
    (_, index) => `0d5c1b62-52a3-4c4d-9d3f-${String(index).padStart(12, '0')}`,
  );
  const lines = ids.map((id) => `mangadex ${id}\n`).join('');
  const { code, stderr } = await importFile(lines);
  expect([code, stderr]).toEqual([0, '150,000 chapters marked as downloaded.\n']);
  const home = join(folder, 'home');
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const [history = ''] = names.filter((name) => basename(name) === 'download-archive.txt');
  expect(readFileSync(join(home, history), 'utf8')).toBe(lines);
});

test.each<[string, () => Buffer, string]>([
  [
    'a small backup of millions of titles',
    () => gzipSync(Buffer.alloc(48 * 2 ** 20, bytesField(1, '')), { level: 1 }),
    'more than 20000 titles',
  ],
  ...longRunRows<[string, () => Buffer, string]>([
    'a file of many empty lines',
    () => Buffer.alloc(48 * 2 ** 20, '\n'),
    'There is nothing to import',
  ]),
])('%s is refused', async (_, content, message) => {
  const { code, stderr } = await importFile(content());
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('titles that do not fit into a subscriptions file are refused', async () => {
  const titles = Array.from({ length: 2_500 }, (_, index) => ({
    address: `/manga/0d5c1b62-52a3-4c4d-9d3f-${String(index).padStart(12, '0')}`,
    title: 'A'.repeat(2_000),
  }));
  const { code, stderr } = await importFile(tachibk(titles), '-o', folder);
  expect([code, stderr]).toEqual([2, expect.stringContaining('would be larger than 4 MiB')]);
});
