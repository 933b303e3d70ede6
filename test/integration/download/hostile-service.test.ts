/** Hostile responses: a clear error or a safe name, and nothing written outside the folder. */
import { gzipSync } from 'node:zlib';
import { readdirSync } from 'node:fs';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import type { ErrorCode } from '../../../src/core/error-codes.js';
import { DownloadHarness, type RunResult } from '../../support/download-harness.js';

const chapter = generateChapter({
  id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0031',
  pages: 3,
  bytesPerPage: 20_000,
});

let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start({ chapters: [chapter] });
});
afterEach(() => harness.stop());

interface AtHome {
  readonly baseUrl?: unknown;
  readonly hash?: unknown;
  readonly data?: unknown;
  readonly dataSaver?: unknown;
}

const json = (body: unknown) => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

function answerAtHome({
  baseUrl = 'https://127.0.0.1:1/t',
  hash = 'h',
  data = ['1.png'],
  dataSaver = ['1.jpg'],
}: AtHome) {
  harness.service.intercept('/at-home/', () =>
    json({ result: 'ok', baseUrl, chapter: { hash, data, dataSaver } }),
  );
}

/** The run failed with this reason and wrote nothing, inside its folders or outside. Returns its events. */
async function expectRefusal(reason: ErrorCode): Promise<RunResult['events']> {
  const { code, events } = await harness.download({ targets: [chapter.id] });
  expect(events).toContainEqual(expect.objectContaining({ type: 'chapter-failed', reason }));
  expect(code).toBe(3);
  expect(harness.files()).toEqual([]);
  expect(readdirSync(harness.folder).sort()).toEqual(expect.not.arrayContaining(['evil.png']));
  return events;
}

describe('hostile metadata', () => {
  test.each<[string, AtHome]>([
    ['a file name that climbs', { data: ['../../evil.png'] }],
    ['a file name with a backslash', { data: ['..\\evil.png'] }],
    ['a file name with NUL', { data: ['1\u0000.png'] }],
    ['a file name with control characters', { data: ['1\u001b[2J.png'] }],
    ['a file name of dots', { data: ['..'] }],
    ['a hash that climbs', { hash: '../../..' }],
    ['an empty hash', { hash: '' }],
    ['duplicate names', { data: ['1.png', '1.png'] }],
    ['10,000 pages', { data: Array.from({ length: 10_000 }, (_, page) => `${page}.png`) }],
    ['names that are numbers', { data: [1, 2, 3] }],
    ['a list that is a text', { data: '1.png' }],
    ['a base URL that is a number', { baseUrl: 17 }],
    ['an empty base URL', { baseUrl: '' }],
    ['a base URL of 1 MB', { baseUrl: `https://127.0.0.1:1/${'a'.repeat(1_000_000)}` }],
  ])('%s is bad-response', async (_what, answer) => {
    answerAtHome(answer);
    await expectRefusal('bad-response');
  });

  test.each([
    ['no address', 'not a url'],
    ['a file', 'file:///etc'],
    ['plain http to a private address', 'http://10.0.0.1'],
    ['plain http to a name', 'http://uploads.mangadex.org'],
    ['an address with a user', 'https://a:b@127.0.0.1:1'],
  ])('a base URL that is %s is never requested or reported', async (_what, baseUrl) => {
    answerAtHome({ baseUrl });
    const events = await expectRefusal('bad-response');
    const reasons = events.flatMap((event) => (event.type === 'page-failed' ? [event.reason] : []));
    expect(new Set(reasons)).toEqual(new Set(['bad-page-url']));
    expect(harness.service.reports).toEqual([]);
  });

  test('no page at all', async () => {
    answerAtHome({ data: [] });
    await expectRefusal('chapter-empty');
  });
});

describe('oversized and malformed responses', () => {
  test('nesting a hundred thousand deep', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    harness.service.intercept('/at-home/', () => ({ ...json(0), body: deep }));
    await expectRefusal('bad-response');
  });

  test('5 MB of meaningless JSON', async () => {
    harness.service.intercept('/at-home/', () =>
      json({ result: 'ok', junk: 'x'.repeat(5_000_000) }),
    );
    await expectRefusal('bad-response');
  });

  test('more than the cap', async () => {
    harness.service.intercept('/at-home/', () =>
      json({ result: 'ok', junk: 'x'.repeat(9_000_000) }),
    );
    await expectRefusal('bad-response');
  });

  test('a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000, 0x20), { level: 1 });
    harness.service.intercept('/at-home/', () => ({
      status: 200,
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      body: bomb,
    }));
    const before = process.memoryUsage().rss;
    await expectRefusal('bad-response');
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  test('headers of 1 MB', async () => {
    harness.service.intercept('/at-home/', () => ({
      ...json({ result: 'ok' }),
      headers: { 'X-Junk': 'x'.repeat(1_000_000) },
    }));
    const { code, events } = await harness.download({ targets: [chapter.id] });
    expect(code).toBe(3);
    expect(events.some(({ type }) => type === 'chapter-failed')).toBe(true);
  });

  test('half of a JSON text', async () => {
    harness.service.intercept('/at-home/', () => ({
      ...json(0),
      body: '{"result":"ok","baseUrl":',
    }));
    await expectRefusal('bad-response');
  });
});

test('5xx and malformed JSON of the API are retried, up to 3 times in all', async () => {
  let calls = 0;
  const takeBack = harness.service.intercept('/at-home/', () => {
    calls += 1;
    if (calls === 2) takeBack();
    return calls === 1 ? { status: 503, body: 'busy' } : { ...json(0), body: '<html>' };
  });
  const { code } = await harness.download({ targets: [chapter.id] });
  expect(code).toBe(0);
  const asked = harness.service.log.filter(({ path }) => path.startsWith('/at-home/'));
  expect(asked).toHaveLength(3);
});

test('a 404 is not retried', async () => {
  harness.service.injectApiFault({ fault: 'not-found', times: 'always' });
  await expectRefusal('chapter-not-found');
  expect(harness.service.log.filter(({ path }) => path.startsWith('/at-home/'))).toHaveLength(1);
});

test('a JSON 403 fails the chapter with exit 4 and is not a ban', async () => {
  harness.service.injectApiFault({ fault: 'refused-to-anonymous', times: 'always' });
  const { code, events, stderr } = await harness.download({ targets: [chapter.id] });
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'chapter-failed', reason: 'chapter-refused' }),
  );
  expect(code).toBe(4);
  expect(stderr).toContain('tankobon login');
});
