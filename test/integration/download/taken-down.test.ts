/** Chapters that MangaDex no longer has, or that only their publishers have: named with a reason, and no failure. */
import { readFileSync } from 'node:fs';
import {
  EXAMPLE_CHAPTERS,
  EXAMPLE_LISTS,
  EXAMPLE_TITLES,
  takeDownChapter,
} from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { shortChapters } from '../../support/short-chapters.js';

const TITLE = `title:${EXAMPLE_TITLES.lighthouse}`;
const SERIES = 'The Lighthouse Cat of Minami Island';
const { first, joint, unavailable, external } = EXAMPLE_CHAPTERS;

const TAKEN_DOWN = {
  type: 'chapter-skipped',
  chapter: unavailable,
  reason: 'chapter-unavailable',
  series: SERIES,
  volume: '2',
  number: '7',
  chapterTitle: 'Taken Down',
  group: 'Tidewater Scans',
  language: 'en',
};
const ON_PUBLISHERS_SITE = {
  type: 'chapter-skipped',
  chapter: external,
  reason: 'chapter-external',
  series: SERIES,
  volume: '2',
  number: '5',
  chapterTitle: 'Read It at the Publisher',
  group: 'Tidewater Scans',
  language: 'en',
  externalUrl: 'https://publisher.example/lighthouse/5',
};

let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start({ chapters: shortChapters() });
});
afterEach(() => harness.stop());

const chapterOf = (id: string) => {
  const found = harness.service.library.chapter(id);
  if (!found) throw new Error(id);
  return found;
};
const atHomeCalls = () =>
  harness.service.log.flatMap(({ path }) => (path.startsWith('/at-home/') ? [path] : []));

test('a chapter of a list that was taken down is skipped with number and reason, without a request for its pages', async () => {
  const targets = [`list:${EXAMPLE_LISTS.public}`];
  const { code, events } = await harness.download({ targets, language: 'en', volumes: '2' });
  expect(code).toBe(0);
  expect(events).toContainEqual(TAKEN_DOWN);
  expect(events.at(-1)).toMatchObject({ type: 'summary', failed: 0 });
  expect(atHomeCalls()).not.toContain(`/at-home/server/${unavailable}`);
  expect(harness.service.violations()).toEqual([]);
});

test('named targets that were taken down are skipped, one or several, and do not count as failures', async () => {
  for (const targets of [[unavailable], [unavailable, first]]) {
    const { code, events } = await harness.download({ targets });
    expect(code).toBe(0);
    expect(events).toContainEqual(TAKEN_DOWN);
    expect(events.filter(({ type }) => type === 'chapter-failed')).toEqual([]);
  }
  expect(atHomeCalls()).toEqual([`/at-home/server/${first}`]);
});

test('--chapters of a chapter that was taken down names it instead of counting no match', async () => {
  const options = { targets: [TITLE], language: 'en', chapters: '7', json: false };
  const expected = `skipped: ${SERIES} Vol. 2 Ch. 7 "Taken Down" [Tidewater Scans] (en): taken down, or without pages`;
  const { code, stderr } = await harness.download(options);
  expect(code).toBe(0);
  expect(stderr.split('\n')).toContain(expected);
  expect(stderr).not.toMatch(/chapters? match/);
  const dry = await harness.download({ ...options, dryRun: true });
  expect(dry.code).toBe(0);
  expect(dry.stdout.split('\n')).toContain(expected);
  expect(dry.stderr).not.toMatch(/chapters? match/);
});

test('the file of a chapter that was taken down stays as it is, also if the chapter is a target itself, with --force', async () => {
  await harness.download({ targets: [joint] });
  const [file = ''] = harness.archives();
  const before = readFileSync(file);
  harness.service.library.putChapter(takeDownChapter(chapterOf(joint)));
  const { code, events } = await harness.download({ targets: [joint], force: true });
  expect(code).toBe(0);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'chapter-skipped',
      chapter: joint,
      reason: 'chapter-unavailable',
      file,
    }),
  );
  expect(readFileSync(file)).toEqual(before);
  expect(atHomeCalls()).toHaveLength(1);
});

test('a chapter on its publisher’s site is named with the address, in a download and a dry run', async () => {
  const options = { targets: [TITLE], language: 'en', volumes: '2' };
  const sentence = `skipped: ${SERIES} Vol. 2 "Read It at the Publisher" [Tidewater Scans] (en): Ch. 5 is only on the publisher's site: https://publisher.example/lighthouse/5`;
  expect(await harness.dryRun(options)).toContainEqual(ON_PUBLISHERS_SITE);
  const { events } = await harness.download(options);
  expect(events).toContainEqual(ON_PUBLISHERS_SITE);
  const { stderr } = await harness.download({ ...options, json: false });
  expect(stderr.split('\n')).toContain(sentence);
  const named = await harness.download({ targets: [external], json: false });
  expect(named.code).toBe(3);
  expect(named.stderr).toContain(
    "Ch. 5 is only on the publisher's site: https://publisher.example/lighthouse/5",
  );
});

test('a chapter on its publisher’s site that is a target itself is missing: exit code 3, and one line names it once', async () => {
  const name = `${SERIES} Vol. 2 "Read It at the Publisher" [Tidewater Scans] (en)`;
  const sentence = `Ch. 5 is only on the publisher's site: https://publisher.example/lighthouse/5`;
  for (const options of [{}, { dryRun: true }]) {
    const run = await harness.download({ targets: [external], json: false, ...options });
    const lines = `${run.stdout}${run.stderr}`.split('\n');
    expect(run.code).toBe(3);
    const said = lines.filter((line) => line.startsWith('failed: ') && line.includes(SERIES));
    expect(said).toEqual([`failed: ${name}: ${sentence}`]);
  }
  const { events } = await harness.download({ targets: [external] });
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'chapter-failed',
      reason: 'chapter-external',
      message: sentence,
    }),
  );
  expect(harness.archives()).toEqual([]);
});

test('a chapter that is not published yet is named once too', async () => {
  const { stderr } = await harness.download({ targets: [EXAMPLE_CHAPTERS.future], json: false });
  const [line = ''] = stderr.split('\n').filter((each) => each.startsWith('failed: '));
  expect(line).toMatch(/^failed: .*: No pages to load: it will be published on /);
  expect(line.split(SERIES)).toHaveLength(2);
});

test('an address that is not a web address is not printed', async () => {
  const { attributes, ...chapter } = chapterOf(external);
  for (const externalUrl of ['javascript:alert(5)', 'file:///etc/passwd', '5']) {
    harness.service.library.putChapter({ ...chapter, attributes: { ...attributes, externalUrl } });
    const options = { targets: [TITLE, external], language: 'en', chapters: '5' };
    const { events, stderr } = await harness.download(options);
    const plain = await harness.download({ ...options, json: false });
    const all = JSON.stringify(events) + stderr + plain.stderr;
    expect(all).not.toContain(externalUrl === '5' ? 'site: 5' : externalUrl);
    expect(plain.stderr).toContain("Ch. 5 is only on the publisher's site\n");
  }
});

test('every event about a chapter names its number, title, groups and language', async () => {
  const { events } = await harness.download({ targets: [joint, EXAMPLE_CHAPTERS.external] });
  const about = events.filter((event) => 'chapter' in event);
  expect(new Set(about.map(({ type }) => type))).toEqual(
    new Set(['chapter-started', 'page-loaded', 'chapter-saved', 'chapter-failed']),
  );
  for (const event of about)
    expect(event).toMatchObject(
      event.chapter === joint
        ? {
            series: SERIES,
            volume: '2',
            number: '4',
            chapterTitle: 'Tea at the "Gull & Anchor"',
            group: 'Tidewater Scans + Paper Lantern',
            language: 'en',
          }
        : { number: '5', externalUrl: 'https://publisher.example/lighthouse/5' },
    );
  const dry = await harness.dryRun({ targets: [TITLE], language: 'en' });
  for (const line of dry.filter(({ type }) => type !== 'plan' && type !== 'warning'))
    expect(line).toMatchObject({ series: SERIES, language: 'en' });
});

test('a volume that is not complete names the chapters that were taken down too', async () => {
  const options = { targets: [TITLE], language: 'en', bind: 'volume', volumes: '2' } as const;
  const { events } = await harness.download({ ...options, chapters: '4' });
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'volume-incomplete',
      volume: '2',
      missing: ['6', '10.5'],
      unavailable: ['5', '7'],
    }),
  );
  const { stderr } = await harness.download({ ...options, chapters: '4', json: false });
  expect(stderr).toContain(
    'Vol. 2: not bound yet; missing: chapters 6, 10.5; MangaDex does not have chapters 5, 7 (hosted elsewhere, or taken down)',
  );
});
