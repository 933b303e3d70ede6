/** The files in which tankobon keeps what it can find out again: each of them is read and written in one way. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CacheFile } from '../../../src/core/cache-file.js';
import { isRecord } from '../../../src/core/json.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-cache-'));
  file = join(folder, 'kept.json');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Count {
  readonly count: number;
  readonly text?: string;
}
const open = () =>
  CacheFile.open<Count>(file, {
    parse: (value) =>
      isRecord(value) && typeof value['count'] === 'number'
        ? (value as unknown as Count)
        : undefined,
    older: ({ counts }) => counts,
  });

test.each(['', '{', '[]', 'null', '{"format":2}', '{"format":2,"entries":[1]}', '{"format":9}'])(
  'a file that is torn or of another form counts as empty and is written anew: %s',
  async (text) => {
    writeFileSync(file, text);
    const cache = open();
    expect(cache.get('a')).toBeUndefined();
    cache.set('a', { count: 1 });
    await cache.save();
    expect(open().get('a')).toEqual({ count: 1 });
  },
);

test('an entry of another form counts as missing, and the others stay', () => {
  writeFileSync(file, '{"format":2,"entries":{"a":{"count":"x"},"b":{"count":2}}}');
  const cache = open();
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, { count: 2 }]);
});

test('an entry is there from when it is set until it is removed', () => {
  writeFileSync(file, '{"format":2,"entries":{"a":{"count":1}}}');
  const cache = open();
  cache.set('b', { count: 2 });
  expect(['a', 'b', 'c'].map((key) => cache.has(key))).toEqual([true, true, false]);
  cache.set('a', undefined);
  expect(cache.has('a')).toBe(false);
});

test('what an older version wrote is read, and kept in the new form', async () => {
  writeFileSync(file, '{"format":1,"counts":{"a":{"count":1}}}');
  const cache = open();
  cache.set('b', { count: 2 });
  await cache.save();
  const entries = { a: { count: 1 }, b: { count: 2 } };
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ format: 2, entries });
});

test('what two processes found is kept, and only entries that were there before are removed', async () => {
  const first = open();
  first.set('a', { count: 1 });
  await first.save();
  const [second, third] = [open(), open()];
  second.set('b', { count: 2 });
  await second.save();
  third.set('c', { count: 3 });
  await third.save(() => true);
  const left = open();
  expect(['a', 'b', 'c'].map((key) => left.get(key)?.count)).toEqual([undefined, 2, 3]);
});

test('entries of any size are kept as they were set last, however often they are replaced', async () => {
  const expected = new Map<string, Count | undefined>();
  for (let run = 0; run < 3; run++) {
    const cache = open();
    for (let step = 0; step < 600; step++) {
      const count = run * 600 + step;
      // Neighbours are replaced at once, others later; a few are removed, and a few are larger than a block.
      const key = `é${step % 7 === 0 ? step - 1 : (count * 31) % 250}`;
      const text = (step % 3 === 0 ? 'ü' : 'x').repeat(
        step % 50 === 0 ? 100_000 : (count * 17) % 900,
      );
      const entry = step % 11 === 0 ? undefined : { count, text };
      cache.set(key, entry);
      expected.set(key, entry);
      expect(cache.get(key)).toEqual(entry);
    }
    await cache.save();
    const saved = open();
    expect(new Map([...expected.keys()].map((key) => [key, saved.get(key)]))).toEqual(expected);
  }
  const { entries } = JSON.parse(readFileSync(file, 'utf8')) as { entries: object };
  const kept = [...expected].filter(([, entry]) => entry);
  expect(new Map(Object.entries(entries))).toEqual(new Map(kept));
});

test('the details of an entry are kept beside it until it or they are replaced', async () => {
  const first = open();
  first.set('a', { count: 1 }, { tabs: '\t[,]' });
  first.set('b', { count: 2 }, { left: true });
  first.set('c', { count: 3 });
  await first.save();
  const second = open();
  const details = (cache: typeof first) =>
    ['a', 'b', 'c'].map((key) => [cache.get(key), cache.details(key)]);
  expect(details(second)).toEqual([
    [{ count: 1 }, { tabs: '\t[,]' }],
    [{ count: 2 }, { left: true }],
    [{ count: 3 }, undefined],
  ]);
  second.set('a', { count: 4 }, 'kept');
  second.set('b', { count: 5 });
  second.set('c', { count: 6 }, 'kept');
  second.set('c', { count: 7 }, { more: true });
  const expected = [
    [{ count: 4 }, { tabs: '\t[,]' }],
    [{ count: 5 }, undefined],
    [{ count: 7 }, { more: true }],
  ];
  expect(details(second)).toEqual(expected);
  await second.save();
  expect(details(open())).toEqual(expected);
});

const BLOCK_BYTES = 4_096;

test('an entry that a power cut took is missing, and no other value takes its place', async () => {
  const cache = open();
  const saved = new Map<string, Count>();
  for (let count = 0; count < 500; count++) saved.set(`key ${count}`, { count, text: 'x' });
  for (const [key, entry] of saved) cache.set(key, entry, { of: key });
  await cache.save();
  const whole = readFileSync(file);
  for (let start = 0; start < whole.length; start += BLOCK_BYTES)
    for (const damaged of [
      Buffer.concat([whole.subarray(0, start), Buffer.alloc(whole.length - start)]),
      Buffer.from(whole).fill(0, start, Math.min(start + BLOCK_BYTES, whole.length)),
      whole.subarray(0, start),
    ]) {
      writeFileSync(file, damaged);
      const left = open();
      for (const [key, entry] of saved) {
        expect([undefined, entry.count]).toContain(left.get(key)?.count);
        expect([undefined, JSON.stringify({ of: key })]).toContain(
          JSON.stringify(left.details(key)),
        );
      }
    }
});

test('what is left after a power cut is kept when the file is written again', async () => {
  const cache = open();
  for (let count = 0; count < 500; count++) cache.set(`key ${count}`, { count });
  await cache.save();
  writeFileSync(file, readFileSync(file).fill(0, BLOCK_BYTES, 2 * BLOCK_BYTES));
  const torn = open();
  const missing = Array.from({ length: 500 }, (_, count) => count).filter(
    (count) => !torn.get(`key ${count}`),
  );
  expect(missing.length).toBeGreaterThan(50);
  expect(missing.length).toBeLessThan(400);
  for (const count of missing) torn.set(`key ${count}`, { count });
  await torn.save();
  const mended = open();
  for (let count = 0; count < 500; count++) expect(mended.get(`key ${count}`)).toEqual({ count });
});
