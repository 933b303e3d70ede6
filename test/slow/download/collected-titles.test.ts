/** Groups, authors and what the account follows as targets: few requests, and none with a token but those of follows. */
import { login } from '../../../src/cli/commands/login.js';
import { GROUPS, PEOPLE } from '../../../src/practice-server/library/people.js';
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';

const { lighthouse, long, odd, starlight } = EXAMPLE_TITLES;
const UNKNOWN = '00000000-6a0b-4e7e-9b1d-0a4c5e2f7101';

let harness: DownloadHarness;
let before = 0;
beforeAll(async () => {
  harness = await DownloadHarness.start();
});
beforeEach(() => {
  before = harness.service.log.length;
});
afterAll(async () => {
  expect(harness.service.violations()).toEqual([]);
  await harness.stop();
});

const requests = () => harness.service.log.slice(before);
const paths = () => requests().map(({ path }) => path);
const planned = async (targets: readonly string[], language = 'all') =>
  (await harness.dryRun({ targets, language })).filter(({ type }) => type === 'planned');
const titlesOf = (lines: readonly { readonly chapter: string }[]) => {
  const ids = lines.map(({ chapter }) => harness.service.library.chapter(chapter)?.titleId);
  return [...new Set(ids)].sort();
};

test('a group is its releases, without those of others; pages of 100 and one request for the titles', async () => {
  const { id } = GROUPS.paperLantern;
  const lines = await planned([`https://mangadex.org/group/${id}/paper-lantern`]);
  expect(lines.map(({ chapter }) => chapter)).toContain(EXAMPLE_CHAPTERS.secondByOthers);
  const ofGroup = harness.service.library
    .chapters()
    .filter(({ groups }) => groups.some((group) => group.id === id));
  expect(lines).toHaveLength(ofGroup.length);
  expect(titlesOf(lines)).toEqual([lighthouse, long, starlight].sort());
  expect(paths()).toEqual([
    ...Array<string>(Math.ceil(ofGroup.length / 100)).fill('/chapter'),
    '/manga',
  ]);
  expect(requests().some(({ query }) => query.includes('groups%5B%5D='))).toBe(true);
});

test('the languages are those of the option; none of them is a warning, not an error', async () => {
  const group = `group:${GROUPS.mareAlta.id}`;
  expect(titlesOf(await planned([group], 'pt-br'))).toEqual([lighthouse, long].sort());
  const { code, stderr } = await harness.download({ targets: [group], language: 'de' });
  expect(code).toBe(0);
  expect(stderr).toContain('warning: Maré Alta has no chapters in de\n');
});

test('an author is all titles, also as an artist: one request for them, and one feed each', async () => {
  const lines = await planned([`author:${PEOPLE.kurogane.id}`], 'en');
  expect(titlesOf(lines)).toEqual([lighthouse]);
  expect(paths()).toEqual(['/manga', `/manga/${lighthouse}/feed`]);
  const both = await planned([`https://mangadex.org/author/${PEOPLE.minase.id}/aoi`], 'es-la');
  expect(titlesOf(both)).toEqual([long]);
});

test('with --since, only the new end of a group or of the followed titles is read', async () => {
  const ago = { language: 'en', since: '7d', until: '1d', json: false };
  const recent = await harness.download({ targets: [`group:${GROUPS.tidewater.id}`], ...ago });
  expect([recent.code, recent.stderr.includes('warning')]).toEqual([0, false]);
  expect(paths()).toEqual(['/chapter']);
  expect(requests()[0]?.query).toContain('order%5BreadableAt%5D=desc');
  const lines = await harness.dryRun({
    targets: [`group:${GROUPS.paperLantern.id}`],
    language: 'en',
    since: '2024-01-13',
    until: '2024-01-13',
  });
  expect(lines.filter(({ type }) => type === 'planned')).toMatchObject([
    { chapter: EXAMPLE_CHAPTERS.secondByOthers },
  ]);
});

test('an unknown group or author is not found: exit 3, and the others are there', async () => {
  const targets = [`group:${UNKNOWN}`, `author:${UNKNOWN}`, `title:${starlight}`];
  const { code, events, stderr } = await harness.download({ targets, language: 'en' });
  expect(code).toBe(3);
  const reason = 'title-not-found';
  expect(events.filter(({ type }) => type === 'target-failed')).toMatchObject([
    { target: `group:${UNKNOWN}`, reason, message: expect.stringMatching(/^Group not/) },
    { target: `author:${UNKNOWN}`, reason, message: expect.stringMatching(/^Author not/) },
  ]);
  expect(events.at(-1)).toMatchObject({ saved: 2, failed: 2 });
  expect(stderr).not.toContain('warning');
});

test('a volume of a group is bound only if it is complete with the chapters of others', async () => {
  const targets = [`group:${GROUPS.paperLantern.id}`];
  const { events } = await harness.download({
    targets,
    language: 'en',
    chapters: '2',
    volumes: '1',
    bind: 'volume',
    keepChapters: true,
  });
  const types = (events as readonly { readonly type: string }[]).map(({ type }) => type);
  expect(types).toContain('volume-incomplete');
  expect(types).not.toContain('book-saved');
});

test('no request for a group or an author has a token', async () => {
  await harness.command((context) => login({ insecureStorage: true }, context), {
    env: harness.loginEnvironment(),
  });
  before = harness.service.log.length;
  await planned([`group:${GROUPS.slashes.id}`, `author:${PEOPLE.seo.id}`]);
  expect(requests().filter(({ headers }) => headers.authorization)).toEqual([]);
});

test('follows is what the account follows: exit 4 without a login, and nothing is sent', async () => {
  const lines = await planned(['follows']);
  expect(titlesOf(lines)).toEqual([lighthouse, odd, starlight].sort());
  expect(paths()).toEqual(['/user/follows/manga/feed', '/manga']);
  const withToken = requests().filter(({ headers }) => headers.authorization);
  expect(withToken.map(({ path }) => path)).toEqual(['/user/follows/manga/feed']);
  const sent = harness.service.log.length;
  const anonymous = await harness.download(
    { targets: ['https://mangadex.org/titles/follows'] },
    { env: { TANKOBON_HOME: `${harness.folder}/other` } },
  );
  expect(anonymous.code).toBe(4);
  expect(anonymous.stderr).toContain('Not logged in: follows needs a login.');
  expect(harness.service.log).toHaveLength(sent);
});
