import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CircuitBreaker,
  MAX_FAILURES,
  PROBE_INTERVAL_MS,
  readCircuitState,
} from '../../../src/health-reports/circuit-breaker.js';
import { classifyError, classifyStatus } from '../../../src/health-reports/delivery-result.js';
import { ServiceError } from '../../../src/core/errors.js';
import { adjustableClock } from '../../support/fake-clock.js';

describe('a response', () => {
  test.each([
    [200, 'accepted'],
    [204, 'accepted'],
    [302, 'retryable'],
    [400, 'rejected'],
    [404, 'rejected'],
    [408, 'retryable'],
    [429, 'unavailable'],
    [500, 'retryable'],
    [522, 'retryable'],
  ])('with status %d is %s', (status, kind) => {
    expect(classifyStatus(status).kind).toBe(kind);
  });

  const failure = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
  test.each([
    [failure('ECONNREFUSED'), 'unavailable', 'ECONNREFUSED'],
    [failure('ECONNRESET'), 'retryable', 'ECONNRESET'],
    [
      new ServiceError('unreachable', 'No.', { cause: failure('ENOTFOUND') }),
      'unavailable',
      'ENOTFOUND',
    ],
    [new ServiceError('banned', 'Banned.'), 'unavailable', 'banned'],
    [new Error('odd\n\u001B[31mthing'), 'retryable', 'odd [31mthing'],
    ['not an error', 'retryable', 'unknown'],
  ])('missing because of %p is %s', (error, kind, reason) => {
    expect(classifyError(error)).toEqual({ kind, reason });
  });
});

describe('the circuit breaker', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-breaker-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('opens after three failures in a row, without a success between them', async () => {
    const breaker = new CircuitBreaker(folder, adjustableClock());
    await breaker.recordFailure('status 500', false);
    await breaker.recordFailure('status 500', false);
    await breaker.recordSuccess();
    await breaker.recordFailure('status 500', false);
    await breaker.recordFailure('status 500', false);
    expect(await breaker.mayRequest()).toBe(true);
    await breaker.recordFailure('status 500', false);
    expect(MAX_FAILURES).toBe(3);
    expect(await breaker.mayRequest()).toBe(false);
  });

  test('opens at once for every process if the host is unreachable', async () => {
    const clock = adjustableClock();
    await new CircuitBreaker(folder, clock).recordFailure('ECONNREFUSED', true);
    expect(await new CircuitBreaker(folder, clock).mayRequest()).toBe(false);
  });

  test('lets one report a minute through, for all processes together', async () => {
    const clock = adjustableClock();
    const breakers = Array.from({ length: 5 }, () => new CircuitBreaker(folder, clock));
    await breakers[0]?.recordFailure('ECONNREFUSED', true);
    let probes = 0;
    for (let second = 0; second < 600; second += 5) {
      clock.advance(5_000);
      const permits = await Promise.all(breakers.map((breaker) => breaker.mayRequest()));
      const granted = permits.filter(Boolean).length;
      expect(granted).toBeLessThanOrEqual(1);
      probes += granted;
      if (granted > 0) await breakers[permits.indexOf(true)]?.recordFailure('status 500', false);
    }
    expect(PROBE_INTERVAL_MS).toBe(60_000);
    expect(probes).toBe(10);
  });

  test('closes when a probe succeeds, and keeps the last error', async () => {
    const clock = adjustableClock();
    const breaker = new CircuitBreaker(folder, clock);
    await breaker.recordFailure('ECONNREFUSED', true);
    clock.advance(PROBE_INTERVAL_MS);
    expect(await breaker.mayRequest()).toBe(true);
    expect(await breaker.mayRequest()).toBe(false);
    await breaker.recordSuccess();
    expect(await new CircuitBreaker(folder, clock).mayRequest()).toBe(true);
    expect(readCircuitState(folder).lastError?.reason).toBe('ECONNREFUSED');
  });

  test('probes early on request, once', async () => {
    const breaker = new CircuitBreaker(folder, adjustableClock());
    await breaker.recordFailure('ECONNREFUSED', true);
    await breaker.makeProbeDue();
    expect(await breaker.mayRequest()).toBe(true);
    expect(await breaker.mayRequest()).toBe(false);
  });

  test('ignores a time of another boot', async () => {
    writeFileSync(join(folder, 'circuit-breaker.json'), '{"lastTryMs":99999999999}');
    expect(await new CircuitBreaker(folder, adjustableClock()).mayRequest()).toBe(true);
  });

  test.each(['', '{', 'null', '[]', '{"lastTryMs":"x"}', '\u0000', ' '.repeat(100_000)])(
    'is closed where its file holds %p',
    async (text) => {
      writeFileSync(join(folder, 'circuit-breaker.json'), text);
      expect(await new CircuitBreaker(folder, adjustableClock()).mayRequest()).toBe(true);
    },
  );

  test('remembers an outage if its file cannot be written', async () => {
    const breaker = new CircuitBreaker('/dev/null/none', adjustableClock());
    await breaker.recordFailure('ECONNREFUSED', true);
    expect(await breaker.mayRequest()).toBe(false);
  });
});
