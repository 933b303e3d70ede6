/** What a run says about targets that cannot be parsed, and about selections that match nothing. */
import { existsSync, rmSync } from 'node:fs';
import { parseTexts } from '../../support/option-texts.js';
import { readArchive } from '../../support/archive.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { virtualClock } from '../../support/virtual-clock.js';
import { download } from '../../../src/cli/commands/download.js';
import { systemClock } from '../../../src/core/clock.js';
import {
  EXAMPLE_TITLES,
  generateChapter,
  longTitle,
} from '../../../src/practice-server/library/library.js';

const CHAPTER = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0021';
const MISSING = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0099';
const LIGHTHOUSE = `title:${EXAMPLE_TITLES.lighthouse}`;
const LONG = `title:${EXAMPLE_TITLES.long}`;

let harness: DownloadHarness;
let long: DownloadHarness;
let examples: DownloadHarness;
beforeAll(async () => {
  harness = await DownloadHarness.start({
    chapters: [generateChapter({ id: CHAPTER, pages: 2, bytesPerPage: 2_000 })],
  });
  examples = await DownloadHarness.start();
  long = await DownloadHarness.start({ library: longTitle({ chapters: 60 }) });
});
afterAll(async () => {
  await harness.stop();
  await long.stop();
  await examples.stop();
});

const requestsOf = ({ service }: DownloadHarness) => service.log.length;

test('only targets that cannot be parsed: exit 2, an event for each, and nothing is sent', async () => {
  const before = requestsOf(harness);
  const { code, events } = await harness.download({ targets: ['naruto', 'bleach'] });
  expect(code).toBe(2);
  expect(events).toMatchObject([
    { type: 'target-failed', target: 'naruto', reason: 'bad-target' },
    { type: 'target-failed', target: 'bleach', reason: 'bad-target' },
    { type: 'summary', saved: 0, failed: 2 },
  ]);
  const { code: dryCode } = await harness.download({ targets: ['naruto'], dryRun: true });
  expect(dryCode).toBe(2);
  const { code: plainCode, stderr } = await harness.download({ targets: ['naruto'], json: false });
  expect(plainCode).toBe(2);
  expect(stderr).toMatch(/^error: Not a chapter, title or list: "naruto"\nhint: .*\n$/);
  expect(requestsOf(harness)).toBe(before);
});

test('one target of two cannot be parsed: the other is saved, exit 3, and the summary counts it', async () => {
  const targets = ['naruto', CHAPTER];
  const { code, events } = await harness.download({ targets });
  expect(code).toBe(3);
  expect(events[0]).toMatchObject({ type: 'target-failed', target: 'naruto' });
  expect(events.at(-1)).toMatchObject({ type: 'summary', saved: 1, failed: 1 });
  const again = await harness.download({ targets, json: false });
  expect(again.code).toBe(3);
  expect(again.stderr).toMatch(/^error: Not a chapter.*"naruto"$/m);
  expect(again.stderr).toMatch(/^hint: To search for a title, run: tankobon search naruto$/m);
  const quiet = await harness.download({ targets, json: false, quiet: true });
  expect(quiet.stderr).toMatch(/^error: Not a chapter.*"naruto"$/m);
});

test('one chapter of two fails: a hint has the command that retries it, with the options that shape the result', async () => {
  const targets = [CHAPTER, MISSING];
  for (const [cover, option] of [
    [true, '--cover'],
    ['all', '--cover all'],
  ] as const) {
    const { code, stderr } = await harness.download({ targets, cover, force: true, json: false });
    expect(code).toBe(3);
    expect(stderr).toContain(
      `hint: To retry only the failed chapters: tankobon download --output ${harness.output} --force ${option} ${MISSING}\n`,
    );
  }
});

test('with --bind the whole command is to be run again, since a book needs all its chapters', async () => {
  const targets = [CHAPTER, MISSING];
  const { stderr } = await harness.download({ targets, bind: 'volume', force: true, json: false });
  expect(stderr).toContain('hint: To retry the failed chapters, run the same command again.\n');
});

test('a language that the title does not have: exit 0, with the number of chapters and the languages', async () => {
  const { code, stderr } = await long.download({ targets: [LONG], language: 'de' });
  expect(code).toBe(0);
  const total = long.service.library
    .chapters()
    .filter(({ attributes }) => (attributes.externalUrl ?? undefined) === undefined).length;
  expect(stderr).toContain(
    `warning: Endless Stairs: 0 of ${total.toLocaleString('en')} releases match --language de; available: en, es-la, pt-br\n`,
  );
});

test('chapters beyond the last one: exit 0, with the last one', async () => {
  const { code, stderr } = await long.download({
    targets: [LONG],
    language: 'en',
    chapters: '900',
  });
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /0 of \d+ releases match --language en --chapters 900; the last chapter is 60\n/,
  );
});

test('the name of a language is refused before anything is sent', async () => {
  const before = requestsOf(long);
  await expect(long.download({ targets: [LONG], language: 'english' })).rejects.toMatchObject({
    code: 'bad-option',
    message: 'Not a language code in --language: "english"',
    hint: 'Did you mean en?',
  });
  expect(requestsOf(long)).toBe(before);
});

test('an unknown group is a warning with the names of the groups', async () => {
  const { stderr } = await long.download({
    targets: [LONG],
    language: 'en',
    chapters: '1',
    group: 'Tidewater',
    dryRun: true,
  });
  expect(stderr).toMatch(
    /^warning: No chapter is by the group Tidewater; the groups are: Paper Lantern, Tidewater Scans\nhint: /m,
  );
});

test('a dry run of an unknown chapter fails like the real run', async () => {
  const dry = await harness.download({ targets: [MISSING], dryRun: true });
  const real = await harness.download({ targets: [MISSING] });
  expect(dry.code).toBe(3);
  expect(real.code).toBe(3);
  const failed = { type: 'chapter-failed', chapter: MISSING, reason: 'chapter-not-found' };
  expect(dry.events).toContainEqual(expect.objectContaining(failed));
  expect(real.events).toContainEqual(expect.objectContaining(failed));
});

test('a dry run names series, volume, number, language and group; a long one has a line for each volume', async () => {
  const rows = async (options: object) => {
    const { code, stdout } = await long.command(async (context) => {
      const { download } = await import('../../../src/cli/commands/download.js');
      const output = long.output;
      const given = { language: 'en', dryRun: true, output, ...options };
      return download([LONG], parseTexts(given), context);
    });
    expect(code).toBe(0);
    return stdout.trimEnd().split('\n');
  };
  expect(await rows({ chapters: '7' })).toEqual([
    'Endless Stairs  Vol. 1 Ch. 7  en  Tidewater Scans  the only release',
    expect.stringMatching(/outside the selection$/),
    '1 chapter to download',
  ]);
  const grouped = await rows({});
  expect(grouped[0]).toBe(
    'Endless Stairs  Vol. 1  Ch. 1–10  10 chapters  en  Tidewater Scans, Paper Lantern  the only release, latest uploaded',
  );
  expect(grouped).toContain('Each chapter, with its file: --verbose');
  expect(grouped.length).toBeLessThan(12);
  const verbose = await rows({ verbose: true });
  expect(verbose.filter((line) => line.startsWith('Endless Stairs'))).toHaveLength(60);
  expect(existsSync(long.output)).toBe(false);
});

test('several languages and none given: a warning in a script, all are saved, and their names differ', async () => {
  const output = `${long.folder}/languages`;
  const options = { targets: [LONG], chapters: '1', output };
  const { code, stderr, events } = await long.download(options);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^warning: No language chosen: downloading all 3, en, es-la and pt-br\nhint: .*config set language en\n/m,
  );
  const files = events.flatMap((event) => (event.type === 'chapter-saved' ? [event.file] : []));
  expect(files.map((file) => /\[([a-z-]+)\] \[/.exec(file)?.[1]).sort()).toEqual([
    'en',
    'es-la',
    'pt-br',
  ]);
  for (const file of files) await readArchive(file);
  expect((await long.download({ ...options, language: 'all' })).stderr).toBe('');
  const [one] = (await long.dryRun({ ...options, language: 'en', chapters: '2' })).filter(
    ({ type }) => type === 'planned',
  );
  expect(one?.file).toMatch(/Endless Stairs Ch\.002 Vol\.01 - Day 2 \[Tidewater Scans\]\.cbz$/);
  rmSync(output, { recursive: true });
});

test('a wrong clock is named where it makes a chapter count as unpublished', async () => {
  const clock = { ...systemClock, wallMs: () => Date.UTC(2012, 2, 1) };
  const titles = await long.download({ targets: [LONG], language: 'en', dryRun: true }, { clock });
  expect(titles.stderr).toMatch(
    /^warning: \d+ chapters count as not published yet: your clock says 2012-03-01, the service's says 20\d\d-\d\d-\d\d\nhint: Set the clock/m,
  );
  const [first] = long.service.library.chapters();
  const { events, code } = await long.download({ targets: [first?.id ?? ''] }, { clock });
  expect(code).toBe(3);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'chapter-failed',
      message: expect.stringMatching(
        /will be published on 2015-.*; your clock says 2012-03-01, the service's says/,
      ),
    }),
  );
});

test('--since, --until and --exclude-group choose chapters; a dry run counts the others', async () => {
  const targets = [LIGHTHOUSE];
  const chosen = { targets, language: 'en', since: '2024-01-12', until: '2024-01-26' };
  const numbersIn = async (options: Parameters<typeof examples.dryRun>[0]) =>
    (await examples.dryRun(options)).filter(({ type }) => type === 'planned').length;
  expect(await numbersIn(chosen)).toBe(3);
  expect(await numbersIn({ ...chosen, excludeGroup: 'Paper Lantern' })).toBe(2);
  const lines = await examples.dryRun({ ...chosen, excludeGroup: 'Paper Lantern' });
  const reasons = lines.filter(({ type }) => type === 'passed-over').map(({ reason }) => reason);
  expect(new Set(reasons)).toEqual(new Set(['excluded-group', 'before-since', 'after-until']));
  const group = examples.service.library
    .chapters()
    .flatMap(({ groups }) => groups)
    .find(({ name }) => name === 'Paper Lantern');
  const excludeGroup = `https://mangadex.org/group/${group?.id}/paper-lantern`;
  expect(await numbersIn({ ...chosen, excludeGroup })).toBe(2);
  const { stdout } = await examples.download({ ...chosen, json: false, dryRun: true });
  expect(stdout).toContain('releases outside the selection\n');
});

test('dates that match nothing: exit 0, with those of the chapters', async () => {
  const options = { targets: [LIGHTHOUSE], language: 'en', since: '2098-01-01' };
  const { code, stderr } = await examples.download(options);
  expect(code).toBe(0);
  expect(stderr).toContain(
    'match --language en --since 2098-01-01; the chapters are of 2024-01-05 to 2024-03-08\n',
  );
});

test('no chapter of the last days is not a warning: a script asks each night', async () => {
  const options = { targets: [LIGHTHOUSE], language: 'en', since: '7d', until: '1d', json: false };
  const { code, stderr } = await examples.download(options);
  expect(code).toBe(0);
  expect(stderr).not.toContain('warning: ');
});

test('an excluded group that no chapter has is a warning, with the groups', async () => {
  const options = { targets: [LIGHTHOUSE], excludeGroup: 'Tidewater', dryRun: true, json: false };
  const { stderr } = await examples.download(options);
  expect(stderr).toContain('No chapter is by the group Tidewater; the groups are: Maré Alta, ');
  expect(stderr).toContain('hint: Check the name; nothing is excluded for it.\n');
});

test('dates in the wrong order: exit 2 with the right one, and nothing is sent', async () => {
  const before = requestsOf(examples);
  for (const [since, until] of [
    ['2024-02-01', '2024-01-01'],
    ['1d', '7d'],
  ] as const)
    await expect(examples.download({ targets: [LIGHTHOUSE], since, until })).rejects.toMatchObject({
      code: 'bad-option',
      hint: `Write the earlier date first: --since ${until} --until ${since}`,
    });
  expect(requestsOf(examples)).toBe(before);
});

test('the time of the summary, from which the speed follows, is without that of a question', async () => {
  const clock = virtualClock();
  const chapters = [generateChapter({ id: CHAPTER, pages: 2, bytesPerPage: 2_000 })];
  await DownloadHarness.use({ chapters, clock }, async (asked) => {
    const options = parseTexts({ output: asked.output, json: true });
    const confirm = () => {
      clock.advance(60 * 60_000);
      return Promise.resolve(true);
    };
    const { stdout } = await asked.command((run) => download([CHAPTER], options, run, confirm));
    const summary: unknown = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(summary).toMatchObject({ type: 'summary', pages: 2 });
    expect((summary as { readonly elapsedMs: number }).elapsedMs).toBeLessThan(60_000);
  });
});

test('--bind names the chapters that are in no book', async () => {
  const { code, stderr } = await examples.download({
    targets: [LIGHTHOUSE],
    language: 'en',
    bind: 'volume',
    json: false,
  });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^left out: .*Minami Island\.cbz: no volume \(a book of the whole title/m);
  expect(stderr).toMatch(/^2 books saved, 1 chapter left out, /m);
});
