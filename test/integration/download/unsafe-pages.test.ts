/** A file with a page's name in the workspace is packed only if it is the page. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { readPages } from '../../support/archive.js';

const PAGES = 4;
const BAD_PAGE = 2;
const chapter = generateChapter({
  id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0401',
  pages: PAGES,
  bytesPerPage: 8_000,
  pageNames: 'plain',
});

let harness: DownloadHarness;
afterEach(() => harness.stop());

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const rightPages = () => chapter.pages('data').map((page) => sha256(page.bytes()));

function workspace(): string {
  const name = readdirSync(harness.output).find((entry) => entry.endsWith('.tankobon'));
  return join(harness.output, name ?? '');
}

/** The sha256 of each page in the only archive. */
async function packedPages(): Promise<string[]> {
  const [archive = ''] = harness.archives();
  return (await readPages(archive)).map(sha256);
}

test.each<[string, (folder: string) => void]>([
  [
    'an HTML page',
    (folder) => {
      const html = Buffer.from('<!doctype html><script>alert(1)</script>');
      writeFileSync(join(folder, `${BAD_PAGE}.${sha256(html)}.html`), html);
    },
  ],
  [
    'a text with the extension of an image',
    (folder) => {
      const text = Buffer.from('root:x:0:0');
      writeFileSync(join(folder, `${BAD_PAGE}.${sha256(text)}.png`), text);
    },
  ],
  [
    'a link to /etc/passwd',
    (folder) => {
      const digest = sha256(readFileSync('/etc/passwd'));
      symlinkSync('/etc/passwd', join(folder, `${BAD_PAGE}.${digest}.png`));
    },
  ],
  [
    'half of the page',
    (folder) => {
      const page = chapter.pages('data')[BAD_PAGE - 1]?.bytes() ?? Buffer.alloc(0);
      const half = page.subarray(0, page.length / 2);
      writeFileSync(join(folder, `${BAD_PAGE}.${sha256(half)}.png`), half);
    },
  ],
])(
  '%s in the workspace of an earlier run is not packed: the page is loaded',
  async (_what, plant) => {
    harness = await DownloadHarness.start({ chapters: [chapter] });
    harness.service.injectPageFaults({ fault: 'status-500', page: BAD_PAGE, attempts: 'always' });
    expect((await harness.download({ targets: [chapter.id] })).code).toBe(3);
    plant(workspace());
    harness.service.clearPageFaults();
    expect((await harness.download({ targets: [chapter.id] })).code).toBe(0);
    expect(await packedPages()).toEqual(rightPages());
  },
);

test.each<[string, (file: string) => void, string]>([
  [
    'another image of the same length',
    (file) => {
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(bytes[100] === 1 ? 2 : 1, 100, 101));
    },
    'page-changed',
  ],
  [
    'a link to /etc/passwd',
    (file) => {
      rmSync(file);
      symlinkSync('/etc/passwd', file);
    },
    'unsafe-path',
  ],
])(
  'a page that is swapped for %s after it was verified: no archive, and the next run loads it again',
  async (_what, swap, reason) => {
    let isSwapped = false;
    harness = await DownloadHarness.start({
      chapters: [chapter],
      onRequest({ load }) {
        // The first page comes late, so that the others are verified and not packed yet.
        if (load?.page !== 1 || load.attempt !== 3 || isSwapped) return;
        isSwapped = true;
        const name = readdirSync(workspace()).find((entry) => entry.startsWith(`${BAD_PAGE}.`));
        swap(join(workspace(), name ?? ''));
      },
    });
    harness.service.injectPageFaults({ fault: 'status-500', page: 1, attempts: 2 });
    const { code, events } = await harness.download({ targets: [chapter.id] });
    expect(isSwapped).toBe(true);
    expect(code).toBe(3);
    expect(events).toContainEqual(expect.objectContaining({ type: 'chapter-failed', reason }));
    expect(harness.archives()).toEqual([]);

    expect((await harness.download({ targets: [chapter.id] })).code).toBe(0);
    expect(await packedPages()).toEqual(rightPages());
  },
);
