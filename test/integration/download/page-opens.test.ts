/** The operations on the files of a chapter's pages. */
import { createHook } from 'node:async_hooks';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { readEntry } from '../../support/archive.js';
import { DownloadHarness } from '../../support/download-harness.js';

interface Operations {
  /** Files that are opened as a FileHandle. */
  readonly handles: number;
  /** Calls of node:fs with a callback. */
  readonly calls: number;
}

/** What Node does asynchronously during a download of this many pages. */
async function operationsOf(pages: number): Promise<Operations> {
  const chapter = generateChapter({ pages, bytesPerPage: 5_000 });
  return DownloadHarness.use({ chapters: [chapter] }, async (harness) => {
    const operations = { handles: 0, calls: 0 };
    const hook = createHook({
      init: (_id, type) => {
        if (type === 'FILEHANDLE') operations.handles += 1;
        if (type === 'FSREQCALLBACK') operations.calls += 1;
      },
    });
    hook.enable();
    const { code } = await harness.download({ targets: [chapter.id] });
    hook.disable();
    expect(code).toBe(0);
    const xml = await readEntry(harness.archives()[0] ?? '', 'ComicInfo.xml');
    expect(xml.match(/ImageWidth=/g)).toHaveLength(pages);
    return operations;
  });
}

test('a page is opened once to write it, and read again only if a page before it arrives later', async () => {
  await operationsOf(1);
  const [few, many] = [await operationsOf(5), await operationsOf(25)];
  expect((many.handles - few.handles) / 20).toBe(1);
  // A page that is read takes four: open, stat, read, close.
  expect((many.calls - few.calls) / 20).toBeLessThan(4);
});
