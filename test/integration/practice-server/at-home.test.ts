/** Page delivery: base URLs, nodes, the captcha, and faulty responses of the at-home endpoint. */
import {
  CAPTCHA_CODE,
  PRACTICE_CAPTCHA_RESULT,
  PRACTICE_SITE_KEY,
} from '../../../src/practice-server/captcha-check.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeOptions,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { fakeClock, type FakeClock } from '../../support/fake-clock.js';
import {
  atHome,
  atHomeUrl,
  CHAPTER,
  json,
  pageUrl,
  send,
  LIBRARY,
} from '../../support/plain-client.js';

let service: PracticeService;
let clock: FakeClock;
beforeEach(() => {
  clock = fakeClock();
});
afterEach(() => service.stop());
const start = async (options: PracticeOptions = {}): Promise<void> => {
  const limits = { general: { requests: 1_000, periodMs: 1_000 } };
  service = await startPracticeService({ library: LIBRARY, clock, limits, ...options });
};
const lastFinding = (): string | undefined => service.log.at(-1)?.finding;

test('the response has the form of the specification and names every page in both qualities', async () => {
  await start();
  const response = await send(atHomeUrl(service));
  expect(json(response)).toEqual({
    result: 'ok',
    baseUrl: expect.any(String),
    chapter: {
      hash: CHAPTER.hash,
      data: CHAPTER.pages('data').map(({ fileName }) => fileName),
      dataSaver: CHAPTER.pages('data-saver').map(({ fileName }) => fileName),
    },
  });
});

test('pages have Content-Length, Content-Type and a repeatable X-Cache with both values', async () => {
  await start();
  const issued = await atHome(service);
  const caches: unknown[] = [];
  for (const page of [1, 2, 3, 1]) {
    const response = await send(pageUrl(issued, page));
    expect(response.body.equals(CHAPTER.pages('data')[page - 1]?.bytes() ?? Buffer.of())).toBe(
      true,
    );
    expect(response.headers['content-length']).toBe(String(response.body.length));
    expect(response.headers['content-type']).toBe('image/png');
    caches.push(response.headers['x-cache']);
  }
  expect(caches).toEqual(['HIT', 'HIT', 'MISS', 'HIT']);
  expect(service.log.at(-1)?.load).toEqual({
    chapter: CHAPTER.id,
    page: 1,
    quality: 'data',
    attempt: 2,
  });
});

test('each call returns another node and another token', async () => {
  await start({ nodes: 2 });
  const urls = [await atHome(service), await atHome(service), await atHome(service)];
  const origins = urls.map(({ baseUrl }) => new URL(baseUrl).origin);
  expect(origins).toEqual([service.nodes[0], service.nodes[1], service.nodes[0]]);
  expect(new Set(urls.map(({ baseUrl }) => baseUrl)).size).toBe(3);
});

test.each([
  ['an escape undone', (url: string) => url.replace('%2F', '/')],
  ['a slash doubled', (url: string) => url.replace('/data/', '//data/')],
  ['the prefix left out', (url: string) => url.replace('/edge', '')],
  ['another quality', (url: string) => url.replace('/data/', '/data-saver/')],
  ['another hash', (url: string) => url.replace(CHAPTER.hash, 'f'.repeat(32))],
  ['a query', (url: string) => `${url}?x`],
  ['another node', (url: string) => url.replace(service.nodes[0] ?? '', service.nodes[1] ?? '')],
])('a page address with %s is not a page address', async (_, change) => {
  await start();
  const url = pageUrl(await atHome(service));
  expect(change(url)).not.toBe(url);
  expect([403, 404]).toContain((await send(change(url))).status);
  expect(lastFinding()).toBe('wrong-page-path');
  expect((await send(url)).status).toBe(200);
});

test.each([
  ['an escape in upper case', (path: string) => path.replace('%3d', '%3D')],
  ['an unreserved character escaped', (path: string) => path.replace('~', '%7E')],
  ['another unreserved character escaped', (path: string) => path.replace('/data/', '/d%61ta/')],
  ['dot segments', (path: string) => path.replace('/~reader/', '/x/../%2e/~reader/')],
])('a page address with %s is the same one (RFC 3986, section 6.2.2)', async (_, change) => {
  await start();
  const { origin, pathname } = new URL(pageUrl(await atHome(service)));
  const path = change(pathname);
  expect(path).not.toBe(pathname);
  expect((await send(origin, { path })).status).toBe(200);
  // The log keeps what was sent, so that a client's spelling can be checked.
  expect(service.log.at(-1)).toMatchObject({ path, load: { page: 1 } });
});

test('an expired base URL responds with 403, and a new one works', async () => {
  await start({ baseUrlMs: 900_000 });
  const url = pageUrl(await atHome(service));
  clock.advance(899_999);
  expect((await send(url)).status).toBe(200);
  clock.advance(1);
  expect((await send(url)).status).toBe(403);
  expect(lastFinding()).toBe('base-url-expired');
  const fresh = pageUrl(await atHome(service));
  expect((await send(fresh)).status).toBe(200);
  service.expireBaseUrls();
  expect((await send(fresh)).status).toBe(403);
  expect(service.violations()).toEqual([]);
});

test.each(['api', 'images'] as const)('the %s host can serve the pages', async (imagesFrom) => {
  await start({ imagesFrom });
  const issued = await atHome(service);
  const expected = { api: service.addresses.apiUrl, images: service.imagesUrl }[imagesFrom];
  expect(new URL(issued.baseUrl).origin).toBe(expected);
  expect((await send(pageUrl(issued))).status).toBe(200);
  expect(service.log.at(-1)).toMatchObject({ host: imagesFrom, load: { page: 1 } });
});

test('an unknown chapter and one without pages are not found', async () => {
  await start({
    chapters: [generateChapter({ id: 'a96676e5-8ae2-425e-b549-7f15dd34a6d8', pages: 0 })],
  });
  for (const id of ['a96676e5-8ae2-425e-b549-7f15dd34a6d8', 'unknown']) {
    expect((await send(atHomeUrl(service, id))).status).toBe(404);
  }
});

test('a captcha is required with its code and site key, and solved by the header of a repeated request', async () => {
  await start();
  service.requireCaptcha();
  const demanded = await send(atHomeUrl(service));
  expect(demanded.status).toBe(403);
  expect(demanded.headers['x-captcha-sitekey']).toBe(PRACTICE_SITE_KEY);
  expect(json(demanded)).toMatchObject({
    result: 'error',
    errors: [{ title: CAPTCHA_CODE, context: { siteKey: PRACTICE_SITE_KEY } }],
  });
  const wrong = await send(atHomeUrl(service), { headers: { 'X-Captcha-Result': 'no' } });
  expect(wrong.status).toBe(403);
  const headers = { 'X-Captcha-Result': PRACTICE_CAPTCHA_RESULT };
  expect((await send(atHomeUrl(service), { headers })).status).toBe(200);
  expect((await send(atHomeUrl(service))).status).toBe(200);
  expect(service.violations()).toEqual([]);
});

test('a captcha can be solved at /captcha/solve for a limited number of requests', async () => {
  await start();
  service.requireCaptcha({ codeIn: 'id', siteKeyIn: 'context', context: 'string', solvedFor: 1 });
  const demanded = await send(atHomeUrl(service));
  expect(demanded.headers).not.toHaveProperty('x-captcha-sitekey');
  expect(json(demanded)).toMatchObject({
    errors: [{ id: CAPTCHA_CODE, context: JSON.stringify({ siteKey: PRACTICE_SITE_KEY }) }],
  });
  const solve = (captchaChallenge: string) =>
    send(`${service.addresses.apiUrl}/captcha/solve`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ captchaChallenge }),
    });
  expect((await solve('wrong')).status).toBe(400);
  expect((await send(atHomeUrl(service))).status).toBe(403);
  const solved = await solve(PRACTICE_CAPTCHA_RESULT);
  expect(solved.status).toBe(200);
  expect(solved.headers['x-ratelimit-limit']).toBe('10');
  expect((await send(atHomeUrl(service))).status).toBe(200);
  expect((await send(atHomeUrl(service))).status).toBe(403);
});

test.each([
  ['not-found', 404],
  ['refused-to-anonymous', 403],
  ['refused', 403],
  ['bad-request', 400],
  ['generic-403', 403],
  ['server-error', 500],
  ['bad-gateway', 502],
  ['unavailable', 503],
  ['too-many', 429],
  ['html-page', 200],
  ['bad-json', 200],
  ['empty-body', 200],
  ['json-null', 200],
  ['wrong-shape', 200],
  ['no-pages', 200],
  ['reset', 0],
  ['hang', 0],
] as const)(
  'the API responds with %s the given number of times, then correctly',
  async (answer, status) => {
    await start();
    service.injectApiFault({ fault: answer, times: 2 });
    const options = answer === 'hang' ? { idleMs: 100 } : {};
    expect((await send(atHomeUrl(service), options)).status).toBe(status);
    expect((await send(atHomeUrl(service), options)).status).toBe(status);
    const { body } = await send(atHomeUrl(service));
    expect(JSON.parse(body.toString())).toMatchObject({ chapter: { hash: CHAPTER.hash } });
    expect(service.log.map(({ finding }) => finding)).toEqual([
      'api-fault',
      'api-fault',
      undefined,
    ]);
  },
);

test('an API fault can apply to other paths and to the authentication service', async () => {
  await start();
  service.injectApiFault({ fault: 'unavailable', pathStart: '/manga', times: 'always' });
  service.injectApiFault({ fault: 'server-error', host: 'auth', times: 1 });
  const { apiUrl, authUrl } = service.addresses;
  expect((await send(`${apiUrl}/manga`)).status).toBe(503);
  expect((await send(`${apiUrl}/manga`)).status).toBe(503);
  expect((await send(atHomeUrl(service))).status).toBe(200);
  expect((await send(authUrl)).status).toBe(500);
  expect((await send(authUrl)).status).toBe(404);
});

test('a large page is sent only as fast as it is read', async () => {
  const large = generateChapter({ pages: 1, bytesPerPage: 4_000_000, pageNames: 'plain', seed: 3 });
  await start({ chapters: [large] });
  const issued = JSON.parse(
    (await send(atHomeUrl(service, large.id))).body.toString(),
  ) as Parameters<typeof pageUrl>[0];
  const part = await send(pageUrl(issued), { maxBytes: 1_000 });
  expect(part.body.length).toBeLessThan(1_000_000);
  const whole = await send(pageUrl(issued));
  expect(whole.complete).toBe(true);
  expect(whole.body.equals(large.pages('data')[0]?.bytes() ?? Buffer.of())).toBe(true);
  expect(service.log.at(-1)?.sentBytes).toBe(whole.body.length);
});

test('base URLs have the advertised origin, and the node serves its URLs', async () => {
  const advertised = 'http://127.0.0.1:2';
  await start({ nodes: 1, advertisedNodes: [advertised] });
  const { baseUrl } = json(await send(atHomeUrl(service))) as { baseUrl: string };
  expect(baseUrl.startsWith(`${advertised}/`)).toBe(true);
  const [page] = CHAPTER.pages('data');
  const path = `${baseUrl.slice(advertised.length)}/data/${CHAPTER.hash}/${page?.fileName ?? ''}`;
  const load = await send(`${service.nodes[0] ?? ''}${path}`);
  expect(load.status).toBe(200);
  expect(load.body.equals(page?.bytes() ?? Buffer.alloc(0))).toBe(true);
});
