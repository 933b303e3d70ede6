import { gzipSync } from 'node:zlib';
import { systemClock, type Clock } from '../../../../src/core/clock.js';
import { ServiceError, TankobonError } from '../../../../src/core/errors.js';
import { submitCaptcha } from '../../../../src/service/requests/captcha.js';
import type { ApiRequest } from '../../../../src/service/client.js';
import type { TokenProvider } from '../../../../src/service/requests/token-use.js';
import { CaptchaRequired, ServiceRefusal } from '../../../../src/service/requests/api-errors.js';
import { USER_AGENT } from '../../../../src/core/version.js';
import {
  createTestClient,
  type TestClient,
  type TestClientOptions,
} from '../../../support/test-client.js';
import { skippingClock } from '../../../support/fake-clock.js';
import { startStubServer, type StubServer } from '../../../support/stub-server.js';

let service: StubServer;
const made: TestClient[] = [];
beforeEach(async () => {
  service = await startStubServer();
});
afterEach(async () => {
  for (const one of made.splice(0)) await one.close();
  await service.stop();
});

const make = async (options?: TestClientOptions): Promise<TestClient> => {
  const one = await createTestClient(service, options);
  made.push(one);
  return one;
};

const REQUEST: ApiRequest<unknown> = {
  method: 'GET',
  path: '/manga/x',
  parser: () => (value) => value,
};

/** A request that carries the token from the start. */
const OF_ACCOUNT: ApiRequest<unknown> = { ...REQUEST, path: '/user/me' };

const thrown = async (promise: Promise<unknown>): Promise<TankobonError> => {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  if (error instanceof TankobonError) return error;
  throw new Error(`Not one of our errors: ${String(error)}`);
};

/** Waits a tenth of what it is asked to. */
const hasty: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 10, signal) };

const REFUSAL = { result: 'error', errors: [{ id: 'x', status: 403, title: 'No', detail: 'Why' }] };

describe('what is sent', () => {
  test('every request says who sends it, and none carries Via', async () => {
    const { client, connections } = await make();
    await client.api(REQUEST);
    await client.postTokenForm(new URLSearchParams({ grant_type: 'password' }));
    await connections.page({ url: new URL(service.url) });
    await connections.report({ url: new URL(service.url), json: {} });
    expect(service.requests).toHaveLength(4);
    expect(USER_AGENT).toMatch(/^tankobon\/\d+\.\d+\.\d+ node\/\d+\.\d+\.\d+$/);
    for (const arrival of service.requests) {
      expect(arrival.headers['user-agent']).toBe(USER_AGENT);
      expect(arrival.headers).not.toHaveProperty('via');
    }
  });

  test('the bearer goes to the API alone, and credentials in an address to none', async () => {
    const { client, connections } = await make({ tokenProvider: bearerOf('secret-token') });
    await client.api(OF_ACCOUNT);
    await client.postTokenForm(new URLSearchParams());
    const url = new URL(service.url);
    Object.assign(url, { username: 'reader', password: 'not-a-secret' });
    await connections.page({ url });
    await connections.report({ url, json: {} });
    expect(service.requests.map(({ headers: { authorization } }) => authorization)).toEqual([
      'Bearer secret-token',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('a redirect is not followed, and a token not carried to where it leads', async () => {
    const elsewhere = await startStubServer();
    const { client, connections } = await make({ tokenProvider: bearerOf('secret-token') });
    service.behave(() => ({ status: 302, headers: { location: elsewhere.url } }));
    expect((await thrown(client.api(OF_ACCOUNT))).code).toBe('bad-response');
    expect((await connections.page({ url: new URL(service.url) })).statusCode).toBe(302);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  });

  test('the token form is form-encoded and a report is exactly application/json', async () => {
    const { client, connections } = await make();
    await client.postTokenForm(new URLSearchParams({ password: 'a b&c' }));
    await connections.report({ url: new URL(service.url), json: { url: 'x' } });
    const [form, report] = service.requests;
    expect(form?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(form?.path).toBe('/realms/practice/protocol/openid-connect/token');
    expect(form?.body).toBe('password=a+b%26c');
    expect(report?.headers['content-type']).toBe('application/json');
    expect(report?.headers['content-length']).toBe('11');
    expect(report?.body).toBe('{"url":"x"}');
  });

  test('a collection that would reach past 10,000 is refused before it is sent', async () => {
    const { client } = await make();
    const query = new URLSearchParams({ limit: '100', offset: '9901' });
    const error = await thrown(client.api({ ...REQUEST, query }));
    expect(error.code).toBe('bad-option');
    expect(error.hint).toMatch(/Narrow/);
    expect(service.requests).toEqual([]);
    query.set('offset', '9900');
    await client.api({ ...REQUEST, query });
    expect(service.requests).toHaveLength(1);
  });
});

describe('failures that pass', () => {
  test.each([
    ['a 503', { status: 503 }],
    ['a broken connection', 'reset'],
    ['a body that is no JSON', { raw: '<html>' }],
    ['half a JSON body', { raw: '{"result":' }],
    ['a body that is cut short', { raw: '{}', headers: { 'content-length': '99' } }],
  ] as const)('%s is tried three times, and no more', async (_, reply) => {
    const { client } = await make({ clock: hasty, limits: { idleTimeoutMs: 500 } });
    service.behave((__, number) => (number < 3 ? reply : { body: { result: 'ok' } }));
    await expect(client.api(REQUEST)).resolves.toEqual({ result: 'ok' });
    service.behave(() => reply);
    const { code } = await thrown(client.api(REQUEST));
    expect(['service-failed', 'unreachable', 'bad-response']).toContain(code);
    expect(service.requests).toHaveLength(6);
  });

  test('what changes something is sent once, since its answer may be what was lost', async () => {
    const { client } = await make();
    service.behave(() => 'reset');
    const request = { ...REQUEST, method: 'POST', json: {} } as const;
    expect((await thrown(client.api(request))).code).toBe('unreachable');
    expect((await thrown(client.postTokenForm(new URLSearchParams()))).code).toBe('unreachable');
    expect(service.requests).toHaveLength(2);
  });

  test('a pause that a 503 asks for is kept; one of over 15 minutes is an error that says until when', async () => {
    await service.stop();
    const clock = skippingClock();
    service = await startStubServer({ clock });
    const { client } = await make({ clock });
    service.behave((_, number) =>
      number === 1 ? { status: 503, headers: { 'retry-after': '1' } } : {},
    );
    await client.api(REQUEST);
    const [first, second] = service.requests;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(1_000);
    service.behave(() => ({ status: 503, headers: { 'retry-after': '1000' } }));
    const error = await thrown(client.api(REQUEST));
    expect([error.code, error.exitCode]).toEqual(['wait-too-long', 6]);
    expect(error.message).toMatch(/until .*\d\d?:\d\d:\d\d \S+\.$/);
  });

  test('the token endpoint’s failures are the caller’s to judge', async () => {
    const { client } = await make();
    service.behave(() => ({ status: 400, body: { error: 'invalid_grant' } }));
    const answer = await client.postTokenForm(new URLSearchParams());
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_grant' }]);
  });

  test('Ctrl-C ends a request, and a wait, with its own reason', async () => {
    const { client } = await make();
    const reason = new Error('stop');
    const stopping = new AbortController();
    service.behave(() => {
      stopping.abort(reason);
      return 'silence';
    });
    const request = client.api({ ...REQUEST, signal: stopping.signal });
    await expect(request).rejects.toBe(reason);
    await expect(client.api({ ...REQUEST, signal: stopping.signal })).rejects.toBe(reason);
    expect(service.requests).toHaveLength(1);
  });
});

describe('failures that stay', () => {
  test.each([400, 404, 410, 413])(
    'a %d is thrown at once, with the reasons given',
    async (status) => {
      const { client } = await make();
      service.behave(() => ({ status, body: REFUSAL }));
      const error = await thrown(client.api(REQUEST));
      expect(error).toBeInstanceOf(ServiceRefusal);
      expect(error).toMatchObject({ status });
      expect(error.message).toContain(`: ${status}, No: Why`);
      expect(error.message).not.toContain('X-Request-ID');
      expect(service.requests).toHaveLength(1);
    },
  );

  test('an answer of another parser is not asked for again', async () => {
    const { client } = await make();
    const parser = () => (): never => {
      throw new Error('no baseUrl');
    };
    expect((await thrown(client.api({ ...REQUEST, parser }))).code).toBe('bad-response');
    expect(service.requests).toHaveLength(1);
  });
});

test('what a response needs is loaded while it is on its way', async () => {
  const slow = await startStubServer({ latencyMs: 1_000 });
  const waiting = await createTestClient(slow);
  try {
    const first = await new Promise((resolve, reject) => {
      const parser: ApiRequest<unknown>['parser'] = () => {
        resolve('loaded');
        return (value) => value;
      };
      waiting.client.api({ ...REQUEST, parser }).then(() => {
        resolve('answered');
      }, reject);
    });
    expect(first).toBe('loaded');
  } finally {
    await waiting.close();
    await slow.stop();
  }
});

describe('hostile answers', () => {
  test('a gzip bomb is refused at the cap, long before it is unpacked', async () => {
    const { client } = await make({ maxResponseBytes: 1_000_000 });
    const raw = Buffer.concat(Array<Buffer>(300).fill(gzipSync(Buffer.alloc(1_000_000))));
    const before = process.memoryUsage().arrayBuffers;
    service.behave(() => ({ raw, headers: { 'content-encoding': 'gzip' } }));
    const error = await thrown(client.api(REQUEST));
    expect(error.code).toBe('bad-response');
    expect(error.message).toMatch(/more than 1000000 bytes/);
    expect(service.requests).toHaveLength(1);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
  });

  test('broken gzip, headers of 1 MB and control characters in a reason are errors, not crashes', async () => {
    const { client } = await make();
    service.behave(() => ({ raw: 'no gzip', headers: { 'content-encoding': 'gzip' } }));
    expect((await thrown(client.api(REQUEST))).code).toBe('bad-response');
    service.behave(() => ({ headers: { 'x-large': 'x'.repeat(1_000_000) } }));
    expect((await thrown(client.api(REQUEST))).code).toBe('bad-response');
    const detail = '\u001b[2J\u202egone\r\n';
    service.behave(() => ({ status: 400, body: { errors: [{ detail }] } }));
    expect((await thrown(client.api(REQUEST))).message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test('JSON nested a hundred thousand deep does not crash', async () => {
    const { client } = await make();
    const raw = '['.repeat(100_000) + ']'.repeat(100_000);
    service.behave(() => ({ raw }));
    await expect(client.api(REQUEST)).resolves.toBeInstanceOf(Array);
    service.behave(() => ({ status: 403, raw: `{"errors":[{"context":${raw}}]}` }));
    expect((await thrown(client.api(REQUEST))).code).toBe('request-refused');
  });
});

describe('captcha', () => {
  const CODE = 'captcha_required_exception';
  test.each([
    ['id, key in the context', { errors: [{ id: CODE, context: { siteKey: 'key-1' } }] }],
    [
      'title, context a text of JSON',
      { errors: [{ title: CODE, context: '{"siteKey":"key-1"}' }] },
    ],
    ['detail, context a bare text', { errors: [{ detail: CODE, context: 'key-1' }] }],
    ['code, context a query', { errors: [{ code: CODE, context: 'siteKey=key-1' }] }],
    ['error at the top', { error: CODE, context: { siteKey: 'key-1' } }],
  ])('is known by its code in %s', async (_, body) => {
    const { client } = await make();
    service.behave(() => ({ status: 403, body }));
    const error = await thrown(client.api(REQUEST));
    expect(error).toBeInstanceOf(CaptchaRequired);
    expect(error).toMatchObject({ exitCode: 5, siteKey: 'key-1' });
  });

  test('the header’s site key comes before the context’s, and is enough where the body says nothing', async () => {
    const { client } = await make();
    const headers = { 'x-captcha-sitekey': 'from-header' };
    const body = { errors: [{ id: CODE, context: { siteKey: 'other' } }] };
    service.behave(() => ({ status: 403, headers, body }));
    expect(await thrown(client.api(REQUEST))).toMatchObject({ siteKey: 'from-header' });
    service.behave(() => ({ status: 403, headers, raw: '<html>' }));
    expect(await thrown(client.api(REQUEST))).toMatchObject({ siteKey: 'from-header' });
  });

  test('its result goes with the repeat of the request, or to its own endpoint with the session’s token', async () => {
    const { client } = await make({ tokenProvider: bearerOf('session') });
    await client.api({ ...REQUEST, captchaResult: 'solved' });
    await submitCaptcha(client, 'solved');
    const [repeat, solve] = service.requests;
    expect(repeat?.headers['x-captcha-result']).toBe('solved');
    expect([solve?.method, solve?.path]).toEqual(['POST', '/captcha/solve']);
    expect(solve?.headers.authorization).toBe('Bearer session');
    expect(JSON.parse(solve?.body ?? '')).toEqual({ captchaChallenge: 'solved' });
  });

  test('a result that is not a single word is refused before it is sent', async () => {
    const { client } = await make();
    const request = { ...REQUEST, captchaResult: 'a\r\nauthorization: b' };
    expect((await thrown(client.api(request))).code).toBe('bad-option');
    expect(service.requests).toEqual([]);
  });
});

test.each([404, 500])(
  'the request id of a %s is in its message, in one line that is safe to print',
  async (status) => {
    const { client } = await make();
    const headers = { 'x-request-id': 'a1b2\u0085c3' };
    service.behave(() => ({ status, headers, body: REFUSAL }));
    const { message } = await thrown(client.api({ ...REQUEST, method: 'POST' }));
    expect(message).toMatch(/ \(X-Request-ID: a1b2.?c3\)\.?$/);
    expect(message).not.toContain('\u0085');
  },
);

describe('the bearer', () => {
  test('is renewed once after a 401, and the request sent once more', async () => {
    const { client } = await make({ tokenProvider: bearerOf('old', { renewed: 'new' }) });
    service.behave(({ headers }) =>
      headers.authorization === 'Bearer new' ? {} : { status: 401 },
    );
    await client.api(OF_ACCOUNT);
    expect(service.requests).toHaveLength(2);
    service.behave(() => ({ status: 401 }));
    expect(await thrown(client.api(OF_ACCOUNT))).toMatchObject({ status: 401 });
    expect(service.requests).toHaveLength(4);
  });

  test('is renewed after a JSON 403 only where it is past its time', async () => {
    const good = await make({ tokenProvider: bearerOf('old', { renewed: 'new' }) });
    service.behave(() => ({ status: 403, body: REFUSAL }));
    expect(await thrown(good.client.api(OF_ACCOUNT))).toMatchObject({ status: 403 });
    expect(service.requests).toHaveLength(1);
    const stale = await make({
      tokenProvider: bearerOf('old', { renewed: 'new', pastItsTime: true }),
    });
    service.behave(({ headers }) =>
      headers.authorization === 'Bearer new' ? {} : { status: 403, body: REFUSAL },
    );
    await stale.client.api(OF_ACCOUNT);
    expect(service.requests).toHaveLength(3);
  });
});

test('a place is asked for the service’s own hosts, and none for a volunteer’s', async () => {
  const { client } = await make();
  const volunteer = new URL('https://node.example.net/data/x.png');
  expect(await client.reserve({ method: 'GET', url: volunteer })).toBeUndefined();
  const place = await client.reserve({ method: 'GET', url: new URL(service.url) });
  await place?.settle({ status: 200, headers: {} });
  await place?.settle();
  expect(place).toBeDefined();
});

test('a ledger that cannot be written lets nothing be sent', async () => {
  const { client } = await make({ folder: '/dev/null/ledger' });
  const error: unknown = await client.api(REQUEST).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TankobonError);
  expect(error).not.toBeInstanceOf(ServiceError);
  expect(service.requests).toEqual([]);
});

function bearerOf(
  token: string,
  { renewed = token, pastItsTime = false }: { renewed?: string; pastItsTime?: boolean } = {},
): TokenProvider {
  return {
    getToken: () => Promise.resolve(token),
    renew: () => Promise.resolve(renewed),
    isExpired: () => pastItsTime,
  };
}
