/** How often the files of a chapter's pages are opened. */
import { createHook } from 'node:async_hooks';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { readEntry } from '../../support/archive.js';
import { DownloadHarness } from '../../support/download-harness.js';

/** The number of files that Node opens asynchronously during a download of this many pages. */
async function opensOf(pages: number): Promise<number> {
  const chapter = generateChapter({ pages, bytesPerPage: 5_000 });
  return DownloadHarness.use({ chapters: [chapter] }, async (harness) => {
    let opens = 0;
    const hook = createHook({
      init: (_id, type) => {
        if (type === 'FILEHANDLE') opens += 1;
      },
    });
    hook.enable();
    const { code } = await harness.download({ targets: [chapter.id] });
    hook.disable();
    expect(code).toBe(0);
    const xml = await readEntry(harness.archives()[0] ?? '', 'ComicInfo.xml');
    expect(xml.match(/ImageWidth=/g)).toHaveLength(pages);
    return opens;
  });
}

test('a page is opened once to write and once to read it', async () => {
  await opensOf(1);
  const [few, many] = [await opensOf(5), await opensOf(25)];
  expect((many - few) / 20).toBe(2);
});
