/** The rules of the connection (spec 8.1), bearer leaks, and the paths of each host. */
import { connect } from 'node:net';
import {
  startPracticeService,
  type PracticeOptions,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { fakeClock } from '../../support/fake-clock.js';
import {
  atHome,
  atHomeUrl,
  CHAPTER,
  json,
  pageUrl,
  send,
  type AtHome,
} from '../../support/plain-client.js';

let service: PracticeService;
afterEach(() => service.stop());
const start = async (options: PracticeOptions = {}): Promise<void> => {
  service = await startPracticeService({
    chapters: [CHAPTER],
    limits: { general: { requests: 1_000, periodMs: 1_000 } },
    ...options,
  });
};
const findings = (): readonly string[] => service.log.flatMap((entry) => entry.findings);

test.each([
  ['no User-Agent', { 'User-Agent': '' }, 'no-user-agent'],
  ["a browser's User-Agent", { 'User-Agent': 'Mozilla/5.0' }, 'spoofed-user-agent'],
  ['Via', { Via: '1.1 proxy' }, 'via-header'],
])('%s is refused and logged on every host', async (_, headers, finding) => {
  await start();
  const page = pageUrl(await atHome(service));
  const { authUrl, networkUrl } = service.addresses;
  const hosts = [atHomeUrl(service), authUrl, networkUrl, service.imagesUrl, page];
  for (const url of hosts) {
    const response = await send(url, { headers });
    expect(response.status).toBe(400);
  }
  expect(findings()).toEqual(hosts.map(() => finding));
  expect(service.violations()).toHaveLength(hosts.length);
});

test('a bearer or a cookie sent to any host other than the API is logged as leaked', async () => {
  await start();
  const page = pageUrl(await atHome(service));
  const { authUrl, networkUrl } = service.addresses;
  const hosts = [authUrl, networkUrl, service.imagesUrl, page];
  for (const url of hosts) await send(url, { headers: { Authorization: 'Bearer x' } });
  await send(page, { headers: { Cookie: 'x=y' } });
  expect(findings()).toEqual([...hosts, page].map(() => 'bearer-leaked'));
});

test('methods and paths are those of the specification', async () => {
  await start({ specificationOnly: true });
  expect((await send(atHomeUrl(service), { method: 'POST' })).status).toBe(405);
  expect((await send(`${service.addresses.networkUrl}/report`)).status).toBe(405);
  expect((await send(pageUrl(await atHome(service)), { method: 'POST' })).status).toBe(405);
  expect(findings()).toEqual(['wrong-method', 'wrong-method', 'wrong-method']);
  for (const path of ['/manga', `/chapter/${CHAPTER.id}`, '/']) {
    const response = await send(service.addresses.apiUrl + path);
    expect(response.status).toBe(404);
    expect(json(response)).toMatchObject({ result: 'error', errors: [{ status: 404 }] });
  }
});

test('the catalogue is available unless `specificationOnly` is set', async () => {
  await start();
  const response = await send(`${service.addresses.apiUrl}/chapter/${CHAPTER.id}`);
  expect(json(response)).toMatchObject({ result: 'ok', data: { id: CHAPTER.id } });
  const [title] = service.library.titles();
  const cover = await send(
    `${service.imagesUrl}/covers/${title?.id ?? ''}/${title?.covers[0]?.fileName ?? ''}`,
  );
  expect(cover.status).toBe(200);
  expect((await send(`${service.imagesUrl}/elsewhere`)).status).toBe(404);
});

test('an error response of the API has a request id, which the log has too', async () => {
  await start();
  const missing = await send(`${service.addresses.apiUrl}/chapter/none`);
  const id = missing.headers['x-request-id'];
  expect(id).toMatch(/^[\da-f-]{36}$/);
  expect(service.log.at(-1)?.requestId).toBe(id);
  const found = await send(`${service.addresses.apiUrl}/chapter/${CHAPTER.id}`);
  expect(found.headers).not.toHaveProperty('x-request-id');
  expect(service.log.at(-1)).not.toHaveProperty('requestId');
});

test('`forcePort443` gives base URLs of the same node; another parameter is refused', async () => {
  await start();
  const origins = new Set<string>();
  for (let request = 0; request < 3; request += 1) {
    const response = await send(`${atHomeUrl(service)}?forcePort443=true`);
    origins.add(new URL((json(response) as AtHome).baseUrl).origin);
  }
  expect([...origins]).toEqual(service.nodes.slice(0, 1));
  expect((await send(`${atHomeUrl(service)}?port=443`)).status).toBe(400);
});

test('a collection ends at 10,000 (spec 8.4)', async () => {
  await start();
  const feed = `${service.addresses.apiUrl}/chapter?offset=9950&limit=`;
  expect((await send(`${feed}50`)).status).toBe(200);
  expect((await send(`${feed}51`)).status).toBe(400);
  expect(findings()).toEqual(['collection-too-far']);
});

test('over https, each host has a certificate that can be trusted and requires a server name', async () => {
  await start({ tls: true });
  const ca = service.certificate ?? '';
  expect(service.addresses.apiUrl).toMatch(/^https:\/\/localhost:\d+$/);
  expect((await send(atHomeUrl(service))).error).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  const issued = await atHome(service, { ca });
  expect(issued.baseUrl).toMatch(/^https:\/\/localhost:/);
  expect((await send(pageUrl(issued), { ca })).status).toBe(200);
  expect(service.violations()).toEqual([]);
  const nameless = atHomeUrl(service).replace('localhost', '127.0.0.1');
  expect((await send(nameless, { ca })).status).toBe(400);
  expect(findings()).toEqual(['no-server-name']);
});

test('the faults of base URLs also apply over https', async () => {
  await start({ tls: true });
  const ca = service.certificate ?? '';
  service.injectPageFaults({ fault: 'bad-certificate', attempts: 1 });
  service.injectPageFaults({ fault: 'connect-refused', attempts: 2 });
  const bad = await send(pageUrl(await atHome(service, { ca })), { ca });
  expect(bad.error).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  const closed = await send(pageUrl(await atHome(service, { ca })), { ca });
  expect(closed.error).toBe('ECONNREFUSED');
  service.injectPageFaults({ fault: 'connection-reset', page: 1, attempts: 1 });
  const reset = await send(pageUrl(await atHome(service, { ca })), { ca });
  expect(reset).toMatchObject({ status: 0, error: 'ECONNRESET' });
});

test('intercepted paths can return huge bodies and headers, or throw', async () => {
  await start();
  const url = atHomeUrl(service);
  const takeBack = service.intercept('/at-home/', ({ method, path }) => ({
    status: 200,
    headers: { 'Content-Type': 'application/json', 'X-Large': 'x'.repeat(10_000) },
    body: JSON.stringify({ method, path }),
  }));
  const answered = await send(url);
  expect(json(answered)).toEqual({ method: 'GET', path: `/at-home/server/${CHAPTER.id}` });
  expect(answered.headers['x-large']).toHaveLength(10_000);
  takeBack();
  expect(json(await send(url))).toMatchObject({ result: 'ok' });
  const chunk = Buffer.alloc(100_000, 0x20);
  service.intercept(
    '/huge',
    () => ({ status: 200, body: Array.from({ length: 50 }, () => chunk) }),
    'node',
  );
  expect((await send(`${service.nodes[0] ?? ''}/huge`)).body.length).toBe(5_000_000);
  service.intercept('/broken', () => {
    throw new Error('on purpose');
  });
  expect((await send(`${service.addresses.apiUrl}/broken`)).status).toBe(500);
  expect(findings()).toEqual(['internal-error']);
});

test('instances share nothing and release their ports when stopped', async () => {
  await start();
  const other = await startPracticeService({ specificationOnly: true });
  await send(atHomeUrl(service));
  other.ban();
  expect(other.log).toEqual([]);
  expect(service.limiterState()).toBe('open');
  const { apiUrl } = other.addresses;
  await other.stop();
  await other.stop();
  expect((await send(apiUrl)).error).toBe('ECONNREFUSED');
  const port = Number(new URL(apiUrl).port);
  const again = await startPracticeService({ ports: { api: port } });
  expect(again.addresses.apiUrl).toBe(apiUrl);
  await expect(startPracticeService({ ports: { api: port } })).rejects.toThrow('EADDRINUSE');
  await again.stop();
});

test('latency can differ by host, and input that is not HTTP does no harm', async () => {
  let sleptMs = 0;
  const clock = fakeClock();
  await start({
    clock: {
      ...clock,
      sleep: (ms) => {
        sleptMs += ms;
        return Promise.resolve();
      },
    },
    latencyMs: { api: 30, node: 5 },
  });
  const page = pageUrl(await atHome(service));
  expect(sleptMs).toBe(30);
  await send(page);
  expect(sleptMs).toBe(35);
  const socket = connect(Number(new URL(service.addresses.apiUrl).port), '127.0.0.1');
  socket.write('nonsense\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  expect((await send(atHomeUrl(service))).status).toBe(200);
});

test('the log has every request as received, and onRequest is called for each', async () => {
  const calls: string[] = [];
  await start({
    onRequest: ({ host, method, status }) => void calls.push(`${host} ${method} ${status}`),
  });
  await send(`${service.addresses.networkUrl}/report?x=%2F`, { method: 'POST', body: '{"a":1}' });
  const [entry] = service.log;
  expect(entry).toMatchObject({
    host: 'network',
    method: 'POST',
    path: '/report',
    query: 'x=%2F',
    body: '{"a":1}',
    status: 400,
  });
  expect(entry?.sentBytes).toBeGreaterThan(10);
  expect(calls).toEqual(['network POST 400']);
});
