/** A target that does not exist: what is asked for it, and what is said. */
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from '../../../src/practice-server/library/library.js';
import { login } from '../../../src/cli/commands/login.js';
import { DownloadHarness } from '../../support/download-harness.js';

const UNKNOWN = '00000000-6a0b-4e7e-9b1d-0a4c5e2f7101';
const { first } = EXAMPLE_CHAPTERS;

let harness: DownloadHarness;
afterEach(() => harness.stop());

/** The requests to the API about the unknown id, each with a sign if it has a token. */
async function requestsOf(targets: readonly string[]) {
  const before = harness.service.log.length;
  const { code, events } = await harness.download({ targets });
  const paths = harness.service.log
    .slice(before)
    .filter(({ host, path, query }) => host === 'api' && `${path}?${query}`.includes(UNKNOWN))
    .map(({ path, headers }) => `${path}${headers.authorization === undefined ? '' : ' token'}`);
  const failures = events.flatMap((event) =>
    event.type === 'chapter-failed' ? [[event.chapter, event.reason, event.message]] : [],
  );
  expect(code).toBe(3);
  expect(harness.service.violations()).toEqual([]);
  return { paths: paths.map((path) => path.replace(UNKNOWN, 'ID')), failures };
}

const NOT_FOUND = [
  [UNKNOWN, 'chapter-not-found', expect.stringContaining(`no chapter, title or list: ${UNKNOWN}`)],
];

test('each kind is asked for once, and its pages are not asked for', async () => {
  harness = await DownloadHarness.start();
  const alone = await requestsOf([UNKNOWN]);
  expect(alone.paths).toEqual(['/chapter/ID', '/manga/ID', '/list/ID', '/chapter']);
  expect(alone.failures).toEqual(NOT_FOUND);
  const beside = await requestsOf([UNKNOWN, first]);
  expect(beside.paths).toEqual(['/chapter', '/manga/ID', '/chapter/ID', '/list/ID']);
  expect(beside.failures).toEqual(NOT_FOUND);
  const chapter = await requestsOf([`chapter:${UNKNOWN}`]);
  // The first two are on their way at the same time.
  expect([...chapter.paths].sort()).toEqual(['/at-home/server/ID', '/chapter', '/chapter/ID']);
  expect(chapter.failures).toEqual([
    [UNKNOWN, 'chapter-not-found', expect.stringContaining(`Chapter not found: ${UNKNOWN}`)],
  ]);
});

test('with a login, what was refused is asked for with the token, and its pages are not', async () => {
  harness = await DownloadHarness.start();
  await harness.command((context) => login({ insecureStorage: true }, context), {
    env: harness.loginEnvironment(),
  });
  const { paths } = await requestsOf([UNKNOWN]);
  expect(paths).toEqual([
    ...['/chapter/ID', '/manga/ID', '/list/ID'].flatMap((path) => [path, `${path} token`]),
    '/chapter',
  ]);
});

test('a service without a catalogue still has the pages of a chapter', async () => {
  harness = await DownloadHarness.start({ specificationOnly: true });
  const { code } = await harness.download({ targets: [first] });
  expect([code, harness.archives()]).toEqual([0, [expect.stringContaining(`${first}.cbz`)]]);
});

test('the UUID of a merged title beside another target is followed', async () => {
  harness = await DownloadHarness.start();
  const { starlight, lighthouse } = EXAMPLE_TITLES;
  harness.service.library.mergeTitle(starlight, lighthouse);
  const { code, events } = await harness.download({
    targets: [starlight, first],
    language: 'en',
    chapters: '2',
  });
  expect(code).toBe(0);
  expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
    { message: expect.stringContaining('was merged into') as unknown },
  ]);
});

test.each(['author', 'group', 'title', 'list'])(
  'a %s that does not exist is a target that failed, and no chapter',
  async (kind) => {
    harness = await DownloadHarness.start();
    const target = `${kind}:${UNKNOWN}`;
    const { code, events } = await harness.download({ targets: [target, first] });
    expect(code).toBe(3);
    expect(events.filter(({ type }) => type.endsWith('-failed'))).toMatchObject([
      { type: 'target-failed', target, reason: 'title-not-found' },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'summary', saved: 1, failed: 1 });
    const { stderr } = await harness.download({ targets: [target, first], json: false });
    expect(stderr).toMatch(/^error: \w+ not found.*\n.*1 skipped, 1 failed\nhint: .*\n$/m);
  },
);

test('a dry run names what is not found once, and does not say that nothing is new', async () => {
  harness = await DownloadHarness.start();
  const options = { targets: [`author:${UNKNOWN}`], dryRun: true, json: false };
  const { code, stdout } = await harness.download(options);
  expect(code).toBe(3);
  expect(stdout).toMatch(
    new RegExp(`^failed: Author not found: ${UNKNOWN}.*\\nNothing to download: 1 failed\\.\\n$`),
  );
});
