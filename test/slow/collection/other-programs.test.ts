/**
 * Archives of other programs, whole and broken: no file ends a command over a folder. How many are generated is in
 * TANKOBON_FUZZ_CASES.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { formatIdentityComment } from '../../../src/library/mark.js';
import { formatRecord } from '../../../src/library/record.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { testImage } from '../../support/chapter-files.js';
import { runCollectionCommands } from '../../support/collection-commands.js';
import { chapterId, DAY_MS, syncLibrary } from '../../support/sync-harness.js';
import { zipBytes, type ZipMember } from '../../support/zip-bytes.js';

const ID = chapterId('Alpha', '1');
const COMIC_INFO = Buffer.from(
  `<?xml version="1.0"?><ComicInfo><Series>Alpha</Series><Number>1</Number>` +
    `<Web>https://mangadex.org/chapter/${ID}</Web></ComicInfo>`,
);
/** More than the part of an archive's end that is read at once. */
const LARGE_BYTES = 70_000;

let service: PracticeService;
let folder: string;
let manga: string;
const uncaught: unknown[] = [];
const onUncaught = (error: unknown): void => {
  uncaught.push(error);
};
beforeAll(async () => {
  process.on('uncaughtException', onUncaught);
  const limits = { general: { requests: 100_000, periodMs: 1_000 }, periodScale: 0.001 };
  const library = syncLibrary(['Alpha'], Date.now() - DAY_MS);
  service = await startPracticeService({ limits, library });
});
afterAll(async () => {
  process.off('uncaughtException', onUncaught);
  await service.stop();
});
beforeEach(() => {
  uncaught.length = 0;
  folder = mkdtempSync(join(tmpdir(), 'tankobon-other-'));
  manga = join(folder, 'manga');
  mkdirSync(manga);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The exit code of each command, and its messages where it ended with a fault. */
async function run(): Promise<Readonly<Record<string, number | string | null>>> {
  const results = await runCollectionCommands(manga, join(folder, 'home'), service);

  return Object.fromEntries(
    [...results].map(([name, { code, stderr }]) => [name, code === 1 ? stderr : code]),
  );
}

const largePage = async (): Promise<Buffer> =>
  Buffer.concat([await testImage('jpeg'), Buffer.alloc(LARGE_BYTES, 7)]);

test('ComicInfo.xml that is inflated from outside of the end of the file is read, and closes no descriptor', async () => {
  const content = await largePage();
  const pages = ['1.jpg', '2.jpg'].map((name) => ({ name, content }));
  const comicInfo = { name: 'ComicInfo.xml', content: COMIC_INFO, method: 8 };
  writeFileSync(join(manga, 'a.cbz'), zipBytes([comicInfo, ...pages]));
  expect(await run()).toEqual({
    verify: 0,
    adopt: 0,
    overview: 0,
    bind: 0,
    retag: 0,
    download: 0,
    sync: 0,
    'adopt --apply': 0,
    retagging: 0,
    'verify --repair': 0,
  });
  expect(uncaught).toEqual([]);
});

const record = formatRecord({ chapterId: ID, version: 1, pages: [] }) ?? '';
const manifest = JSON.stringify({ chapters: [{ chapterId: ID, key: ID, prefix: 'c001-' }] });

/** By names, so that a failure shows them. */
const CONTENTS = {
  'an image': () => testImage('png'),
  'a large image': largePage,
  'a ComicInfo.xml': () => COMIC_INFO,
  'a record': () => Buffer.from(record),
  'a manifest': () => Buffer.from(manifest),
  nothing: () => Buffer.alloc(0),
  zeros: () => Buffer.alloc(LARGE_BYTES),
} as const satisfies Readonly<Record<string, () => Buffer | Promise<Buffer>>>;

const NAMES = [
  'ComicInfo.xml',
  'META-INF/tankobon.json',
  '1.jpg',
  'c001-001.jpg',
  'Ch.1/2.png',
  'folder/',
  'a//b.jpg',
  '../up.jpg',
  '/root.jpg',
  'C:\\x.jpg',
  '第1話.webp',
  'nul\0.jpg',
  '',
] as const;

interface Member extends Omit<ZipMember, 'content'> {
  readonly content: keyof typeof CONTENTS;
}

const member: fc.Arbitrary<Member> = fc.record({
  name: fc.constantFrom(...NAMES),
  content: fc.constantFrom(...(Object.keys(CONTENTS) as (keyof typeof CONTENTS)[])),
  method: fc.constantFrom(0, 8, 12, 99),
  hasDescriptor: fc.boolean(),
  isZip64: fc.boolean(),
});

const comment = fc.oneof(
  fc.constantFrom(
    '',
    formatIdentityComment({ chapterId: ID, version: 1, quality: 'data' }),
    'tankobon bound',
    'tankobon bound 0123456789abcdef',
    'PK\x05\x06 a comment with a signature',
  ),
  fc.string({ maxLength: 40 }),
);

/** What a failing disk or a broken program leaves: other bytes, fields with extreme numbers, lost ends. */
interface Damage {
  readonly kind: 'byte' | 'field' | 'end field' | 'cut' | 'append';
  /** The part of the file before it. */
  readonly at: number;
  readonly value: number;
}

const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('byte', 'field', 'end field', 'cut', 'append'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  value: fc.constantFrom(0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff),
});

/** The directory and the end record of most archives are in so many bytes. */
const END_BYTES = 400;

function damaged(bytes: Buffer, { kind, at, value }: Damage): Buffer {
  const isEnd = kind === 'end field';
  const start = isEnd ? Math.max(0, bytes.length - END_BYTES) : 0;
  const position = start + Math.floor(at * (bytes.length - start));
  const changed = Buffer.from(bytes);
  if (kind === 'cut') return changed.subarray(0, position);
  if (kind === 'append') return Buffer.concat([changed, Buffer.alloc(position % 100, value)]);
  if (kind === 'byte' && position < changed.length) changed[position] = value & 0xff;
  else if (position + 4 <= changed.length) changed.writeUInt32LE(value, position);
  return changed;
}

interface Archive {
  readonly members: readonly Member[];
  readonly comment: string;
  readonly prefixBytes: number;
  readonly damages: readonly Damage[];
}

const archive: fc.Arbitrary<Archive> = fc.record({
  members: fc.array(member, { maxLength: 5 }),
  comment,
  prefixBytes: fc.nat(20),
  damages: fc.array(damage, { maxLength: 3 }),
});

async function archiveBytes({ comment, prefixBytes, ...it }: Archive): Promise<Buffer> {
  const members: ZipMember[] = [];
  for (const { content, ...each } of it.members)
    members.push({ ...each, content: await CONTENTS[content]() });
  const options = { comment: Buffer.from(comment), prefix: Buffer.alloc(prefixBytes) };
  return it.damages.reduce<Buffer>(damaged, zipBytes(members, options));
}

const FILES = ['a.cbz', 'b.cbz', 'c.zip', 'd.epub', 'sub/e.cbz', 'sub/f.pdf'] as const;
/** Each has six files, which ten commands read. */
// Ten commands read each folder: more would not end within the limit of a test.
const numRuns = Math.max(2, Math.ceil(Number(process.env['TANKOBON_FUZZ_CASES'] ?? 200) / 200));

test('no generated archive ends a command over its folder', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(...FILES.map(() => archive)), async (archives) => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(join(manga, 'sub'), { recursive: true });
      for (const [index, each] of archives.entries())
        writeFileSync(join(manga, FILES[index] ?? ''), await archiveBytes(each));
      const faults = Object.entries(await run()).filter(([, code]) => typeof code === 'string');
      if (faults.length + uncaught.length > 0) throw new Error(inspect({ faults, uncaught }));
    }),
    { numRuns, includeErrorInReport: true },
  );
}, 600_000);
