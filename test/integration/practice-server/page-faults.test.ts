/** Every page fault, observed by a client. */
import { createHash } from 'node:crypto';
import {
  FAULT_NAMES,
  FAULTS,
  findFault,
  RANDOM_FAULTS,
  type FaultName,
} from '../../../src/practice-server/page-faults.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import {
  atHome,
  CHAPTER,
  pageUrl,
  send,
  type RawResponse,
  type SendOptions,
  LIBRARY,
} from '../../support/plain-client.js';

let service: PracticeService;
beforeEach(async () => {
  service = await startPracticeService({
    library: LIBRARY,
    limits: { general: { requests: 1_000, periodMs: 1_000 } },
  });
});
afterEach(() => service.stop());

const pages = CHAPTER.pages('data');
const image = pages[1]?.bytes() ?? Buffer.alloc(0);
const others = pages.filter((_, index) => index !== 1).map((page) => page.bytes());
const isImage = (bytes: Buffer): boolean =>
  createHash('sha256').update(bytes).digest('hex') ===
  createHash('sha256').update(image).digest('hex');
const changedBytes = (bytes: Buffer): number =>
  bytes.filter((byte, index) => byte !== image[index]).length;
const halfLength = Math.floor(image.length / 2);

/** How the loads with these faults end. */
const ENDS: Readonly<Partial<Record<FaultName, SendOptions>>> = {
  'silent-node': { idleMs: 400 },
  hang: { idleMs: 400 },
  stall: { idleMs: 400 },
  trickle: { maxBytes: 64 },
};

async function loadSecondPage(options?: SendOptions): Promise<RawResponse> {
  const issued = await atHome(service);
  return send(pageUrl(issued, 2), { maxBytes: 1_000_000, ...options });
}

const status =
  (code: number) =>
  (response: RawResponse): void => {
    expect(response.status).toBe(code);
    expect(response.complete).toBe(true);
  };

const EXPECTATIONS: Readonly<Record<FaultName, (response: RawResponse) => void>> = {
  'connection-reset'(response) {
    expect(response).toMatchObject({ status: 0, error: 'ECONNRESET' });
  },
  'closed-without-answer'(response) {
    expect(response).toMatchObject({ status: 0, error: 'ECONNRESET' });
  },
  'switching-protocols'(response) {
    expect(response).toMatchObject({ status: 101 });
  },
  'silent-node'(response) {
    expect(response).toMatchObject({ status: 0, error: 'idle' });
  },
  'connect-refused'(response) {
    expect(response).toMatchObject({ status: 0, error: 'ECONNREFUSED' });
  },
  'bad-certificate'(response) {
    expect(response).toMatchObject({ status: 0, error: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  },
  'tls-refused'(response) {
    expect(response).toMatchObject({ status: 0, error: 'EPROTO' });
  },
  hang(response) {
    expect(response).toMatchObject({ status: 0, error: 'idle' });
  },
  stall(response) {
    expect(response).toMatchObject({ status: 200, error: 'idle' });
    expect(response.headers['content-length']).toBe(String(image.length));
    expect(response.body.length).toBe(halfLength);
  },
  trickle(response) {
    expect(response.status).toBe(200);
    expect(response.body.subarray(0, 16)).toEqual(image.subarray(0, 16));
  },
  'cut-with-length'(response) {
    expect(response).toMatchObject({ status: 200, complete: false, error: 'ECONNRESET' });
    expect(response.headers['content-length']).toBe(String(image.length));
    expect(response.body.length).toBe(halfLength);
  },
  'cut-without-length'(response) {
    expect(response).toMatchObject({ status: 200, complete: true });
    expect(response.headers).not.toHaveProperty('content-length');
    expect(response.headers).not.toHaveProperty('transfer-encoding');
    expect(response.body).toEqual(image.subarray(0, halfLength));
  },
  'cut-chunked'(response) {
    expect(response).toMatchObject({ status: 200, complete: false, error: 'ECONNRESET' });
    expect(response.headers['transfer-encoding']).toBe('chunked');
    expect(response.body.length).toBe(halfLength);
  },
  'truncated-copy'(response) {
    expect(response).toMatchObject({ status: 200, complete: true });
    expect(response.headers).toMatchObject({ 'transfer-encoding': 'chunked', 'x-cache': 'HIT' });
    expect(response.body).toEqual(image.subarray(0, halfLength));
  },
  'truncated-copy-with-length'(response) {
    expect(response).toMatchObject({ status: 200, complete: true });
    expect(response.headers).toMatchObject({
      'content-length': String(halfLength),
      'x-cache': 'HIT',
    });
    expect(response.body).toEqual(image.subarray(0, halfLength));
  },
  'status-403': status(403),
  'status-404': status(404),
  'status-410': status(410),
  'status-429': status(429),
  'status-500': status(500),
  'status-503': status(503),
  'html-page'(response) {
    expect(response.status).toBe(200);
    expect(response.body.toString()).toMatch(/^<!doctype html>/);
  },
  'another-image'(response) {
    expect(response.status).toBe(200);
    expect(others.some((other) => other.equals(response.body))).toBe(true);
  },
  'forged-image'(response) {
    expect(response.status).toBe(200);
    expect(others.some((other) => other.equals(response.body))).toBe(true);
  },
  'flipped-byte'(response) {
    expect(response.body.length).toBe(image.length);
    expect(changedBytes(response.body)).toBe(1);
  },
  'same-flipped-byte'(response) {
    expect(response.body.length).toBe(image.length);
    expect(changedBytes(response.body)).toBe(1);
  },
  'empty-body'(response) {
    expect(response).toMatchObject({ status: 200, complete: true });
    expect(response.body.length).toBe(0);
    expect(response.headers['content-length']).toBe('0');
  },
  'endless-body'(response) {
    expect(response).toMatchObject({ status: 200, error: 'maxBytes' });
    expect(response.body.subarray(0, image.length).equals(image)).toBe(true);
  },
  redirect(response) {
    expect(response.status).toBe(302);
    expect(response.headers.location).toBe(`${service.addresses.apiUrl}/redirected`);
  },
  'no-x-cache'(response) {
    expect(response.headers).not.toHaveProperty('x-cache');
    expect(isImage(response.body)).toBe(true);
  },
};

test.each(FAULT_NAMES)('%s occurs once', async (fault) => {
  service.injectPageFaults({ fault, chapter: CHAPTER.id, page: 2, attempts: 1 });
  EXPECTATIONS[fault](await loadSecondPage(ENDS[fault]));
  const again = await loadSecondPage();
  expect(again).toMatchObject({ status: 200, complete: true });
  expect(again.headers['x-cache']).toBe('HIT');
  expect(isImage(again.body)).toBe(true);
  const loads = service.log.flatMap(({ load }) => load?.fault ?? []);
  expect(loads).toEqual(FAULTS[fault].of === 'page' ? [fault] : []);
  expect(service.violations()).toEqual([]);
});

test('a fault applies to its page, quality and chapter only, and always if requested', async () => {
  service.injectPageFaults({ fault: 'status-500', page: 2, quality: 'data', attempts: 'always' });
  const issued = await atHome(service);
  for (let time = 0; time < 3; time += 1) {
    expect((await send(pageUrl(issued, 2))).status).toBe(500);
  }
  expect((await send(pageUrl(issued, 1))).status).toBe(200);
  const { baseUrl, chapter } = issued;
  const saver = `${baseUrl}/data-saver/${chapter.hash}/${chapter.dataSaver[1] ?? ''}`;
  expect((await send(saver)).status).toBe(200);
  service.clearPageFaults();
  expect((await send(pageUrl(issued, 2))).status).toBe(200);
});

test('another byte is flipped each time, unless the fault requires the same one', async () => {
  const twice = async (fault: FaultName): Promise<boolean> => {
    service.clearPageFaults();
    service.injectPageFaults({ fault, attempts: 'always' });
    const first = await loadSecondPage();
    const second = await loadSecondPage();
    return first.body.equals(second.body);
  };
  expect(await twice('flipped-byte')).toBe(false);
  expect(await twice('another-image')).toBe(false);
  expect(await twice('same-flipped-byte')).toBe(true);
  expect(await twice('forged-image')).toBe(true);
});

test('a fault of one node does not affect the others', async () => {
  const [bad = ''] = service.nodes;
  service.injectPageFaults({ fault: 'status-410', node: bad, attempts: 'always' });
  const statuses = new Map<boolean, number>();
  while (statuses.size < 2) {
    const issued = await atHome(service);
    statuses.set(issued.baseUrl.startsWith(bad), (await send(pageUrl(issued, 2))).status);
  }
  expect(statuses).toEqual(
    new Map([
      [true, 410],
      [false, 200],
    ]),
  );
});

test('nodes can have different host names', async () => {
  await service.stop();
  service = await startPracticeService({
    library: LIBRARY,
    nodes: 2,
    nodeHostNames: ['127.0.0.1', 'localhost'],
  });
  const names = [await atHome(service), await atHome(service)].map(
    ({ baseUrl }) => new URL(baseUrl).hostname,
  );
  expect(names).toEqual(['127.0.0.1', 'localhost']);
  expect((await send(pageUrl(await atHome(service), 2))).status).toBe(200);
  expect((await send(pageUrl(await atHome(service), 2))).status).toBe(200);
});

test('a URL with upper-case percent-encoding is equivalent', async () => {
  const issued = await atHome(service);
  const capitals = pageUrl(issued, 2).replace(/%[0-9a-f]{2}/g, (escape) => escape.toUpperCase());
  expect(capitals).not.toBe(pageUrl(issued, 2));
  expect((await send(capitals)).status).toBe(200);
  expect(service.violations()).toEqual([]);
});

test('a client that ignores an invalid certificate is detected', async () => {
  service.injectPageFaults({ fault: 'bad-certificate', attempts: 1 });
  const issued = await atHome(service);
  expect((await send(pageUrl(issued), { insecure: true })).status).toBe(200);
  expect(service.violations().map(({ finding }) => finding)).toEqual(['certificate-ignored']);
});

test('random faults depend on the seed, have the given share, cover every kind, and are limited in a row', () => {
  const plan = { seed: 11, share: 0.2 };
  const targets = Array.from({ length: 3_000 }, (_, index) => ({
    chapter: CHAPTER.id,
    page: index + 1,
    attempt: 1,
  }));
  const met = targets.map((target) => findFault(target, [plan]));
  expect(targets.map((target) => findFault(target, [plan]))).toEqual(met);
  const faults = met.filter((fault) => fault !== undefined);
  expect(faults.length / met.length).toBeGreaterThan(0.17);
  expect(faults.length / met.length).toBeLessThan(0.23);
  const ofPages = RANDOM_FAULTS.filter((name) => FAULTS[name].of === 'page');
  expect(new Set(faults)).toEqual(new Set(ofPages));
  const certain = { seed: 11, share: 1 };
  const tries = [1, 2, 3, 4].map((attempt) =>
    findFault({ chapter: CHAPTER.id, page: 1, attempt }, [certain]),
  );
  expect(tries.map((fault) => fault !== undefined)).toEqual([true, true, false, false]);
  const other = targets.map((target) => findFault(target, [{ ...plan, seed: 12 }]));
  expect(other).not.toEqual(met);
});

test('stopping ends hangs, stalls and endless bodies', async () => {
  service.injectPageFaults({ fault: 'hang', page: 1, attempts: 'always' });
  service.injectPageFaults({ fault: 'stall', page: 2, attempts: 'always' });
  service.injectPageFaults({ fault: 'endless-body', page: 3, attempts: 'always' });
  const issued = await atHome(service);
  const loads = [1, 2, 3].map((page) => send(pageUrl(issued, page), { idleMs: 20_000 }));
  while (service.log.filter(({ load }) => load?.fault).length < 3) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await service.stop();
  for (const response of await Promise.all(loads)) {
    expect(response.complete).toBe(false);
    expect(response.error).not.toBe('idle');
  }
});
