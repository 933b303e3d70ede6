/** The record in a chapter's CBZ: what tankobon knew of it, and the same bytes in whatever order the pages arrived. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { readComicInfo } from '../../../src/library/comic-info.js';
import { parseRecords } from '../../../src/library/record.js';
import {
  EXAMPLE_CHAPTERS,
  EXAMPLE_TITLES,
  generateChapter,
} from '../../../src/practice-server/library/library.js';
import { readEntry, readPages } from '../../support/archive.js';
import { DownloadHarness } from '../../support/download-harness.js';

const recordOf = async (file: string) => parseRecords(await readEntry(file, RECORD));
const RECORD = 'META-INF/tankobon.json';
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test('it has the ids, the version, the digests of the pages, and the metadata as written', () =>
  DownloadHarness.use({}, async (harness) => {
    expect((await harness.download({ targets: [EXAMPLE_CHAPTERS.reuploaded] })).code).toBe(0);
    const [file = ''] = harness.archives();
    expect(await recordOf(file)).toEqual([
      {
        chapterId: EXAMPLE_CHAPTERS.reuploaded,
        titleId: EXAMPLE_TITLES.lighthouse,
        path: relative(harness.output, file),
        folderTemplate: '{series}',
        fileTemplate: '{series} Ch.{chapter:03} Vol.{volume:02} - {title} [{group}]',
        version: 2,
        updatedAt: expect.any(Date) as unknown as Date,
        quality: 'data',
        pages: (await readPages(file)).map(sha256),
        metadata: await readComicInfo(await readEntry(file, 'ComicInfo.xml')),
      },
    ]);
  }));

test('a service that answers only what the specification shows: ids and digests', () =>
  DownloadHarness.use({ specificationOnly: true }, async (harness) => {
    expect((await harness.download({ targets: [EXAMPLE_CHAPTERS.first] })).code).toBe(0);
    const [file = ''] = harness.archives();
    const pages = (await readPages(file)).map(sha256);
    const record = { chapterId: EXAMPLE_CHAPTERS.first, quality: 'data', pages };
    expect(await recordOf(file)).toEqual([record]);
  }));

test('the same chapter has the same bytes, whatever page arrived last', async () => {
  const chapter = generateChapter({ pages: 6, bytesPerPage: 20_000 });
  const archives: Buffer[] = [];
  for (const page of [1, 6])
    await DownloadHarness.use({ chapters: [chapter] }, async (harness) => {
      harness.service.injectPageFaults({ fault: 'status-500', page, attempts: 1 });
      const { code, events } = await harness.download({ targets: [chapter.id] });
      const loaded = events.flatMap((event) => (event.type === 'page-loaded' ? event.page : []));
      expect([code, loaded.at(-1)]).toEqual([0, page]);
      archives.push(...harness.archives().map((file) => readFileSync(file)));
    });
  expect(archives).toHaveLength(2);
  expect(archives[0]?.equals(archives[1] ?? Buffer.alloc(0))).toBe(true);
});
