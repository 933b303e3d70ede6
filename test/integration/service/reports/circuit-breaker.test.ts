import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CircuitBreaker,
  MAX_FAILURES,
  PROBE_INTERVAL_MS,
  readCircuitState,
} from '../../../../src/service/reports/circuit-breaker.js';
import { classifyError, classifyStatus } from '../../../../src/service/reports/delivery-result.js';
import { ServiceError } from '../../../../src/core/errors.js';
import { adjustableClock } from '../../../support/fake-clock.js';

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

  test('opens after three failures in a row, without a success between them', () => {
    const breaker = new CircuitBreaker(folder, adjustableClock());
    breaker.recordFailure('status 500', false);
    breaker.recordFailure('status 500', false);
    breaker.recordSuccess();
    breaker.recordFailure('status 500', false);
    breaker.recordFailure('status 500', false);
    expect(breaker.mayRequest()).toBe(true);
    breaker.recordFailure('status 500', false);
    expect(MAX_FAILURES).toBe(3);
    expect(breaker.mayRequest()).toBe(false);
  });

  test('opens at once for every process if the host is unreachable', () => {
    const clock = adjustableClock();
    new CircuitBreaker(folder, clock).recordFailure('ECONNREFUSED', true);
    expect(new CircuitBreaker(folder, clock).mayRequest()).toBe(false);
  });

  test('of a running process learns from its own first failure that another found the host down', () => {
    const clock = adjustableClock();
    const running = new CircuitBreaker(folder, clock);
    new CircuitBreaker(folder, clock).recordFailure('ECONNREFUSED', true);
    expect(running.mayRequest()).toBe(true);
    running.recordFailure('status 500', false);
    expect(running.mayRequest()).toBe(false);
  });

  test('learns before its probe that another found the host up again', () => {
    const clock = adjustableClock();
    const [first, second] = [new CircuitBreaker(folder, clock), new CircuitBreaker(folder, clock)];
    for (const breaker of [first, second]) breaker.recordFailure('ECONNREFUSED', true);
    first.makeProbeDue();
    expect(first.mayRequest()).toBe(true);
    first.recordSuccess();
    clock.advance(PROBE_INTERVAL_MS);
    expect(second.mayRequest()).toBe(true);
    expect(second.isOpen()).toBe(false);
  });

  test('reads and writes no file while the host is up', () => {
    const breaker = new CircuitBreaker(folder, adjustableClock());
    writeFileSync(join(folder, 'report-host.json'), '{"lastTryMs":1}');
    for (let times = 0; times < 3; times += 1) {
      expect(breaker.mayRequest()).toBe(true);
      breaker.recordSuccess();
    }
    expect(readdirSync(folder)).toEqual(['report-host.json']);
    expect(readFileSync(join(folder, 'report-host.json'), 'utf8')).toBe('{"lastTryMs":1}');
  });

  test('lets one report a minute through, for all processes together', () => {
    const clock = adjustableClock();
    const breakers = Array.from({ length: 5 }, () => new CircuitBreaker(folder, clock));
    for (const breaker of breakers) breaker.recordFailure('ECONNREFUSED', true);
    let probes = 0;
    for (let second = 0; second < 600; second += 5) {
      clock.advance(5_000);
      const permits = breakers.map((breaker) => breaker.mayRequest());
      const granted = permits.filter(Boolean).length;
      expect(granted).toBeLessThanOrEqual(1);
      probes += granted;
      if (granted > 0) breakers[permits.indexOf(true)]?.recordFailure('status 500', false);
    }
    expect(PROBE_INTERVAL_MS).toBe(60_000);
    expect(probes).toBe(10);
  });

  test('closes when a probe succeeds, and keeps the last error', () => {
    const clock = adjustableClock();
    const breaker = new CircuitBreaker(folder, clock);
    breaker.recordFailure('ECONNREFUSED', true);
    clock.advance(PROBE_INTERVAL_MS);
    expect(breaker.mayRequest()).toBe(true);
    expect(breaker.mayRequest()).toBe(false);
    breaker.recordSuccess();
    expect(new CircuitBreaker(folder, clock).mayRequest()).toBe(true);
    expect(readCircuitState(folder).lastError?.reason).toBe('ECONNREFUSED');
  });

  test('probes early on request, once', () => {
    const breaker = new CircuitBreaker(folder, adjustableClock());
    breaker.recordFailure('ECONNREFUSED', true);
    breaker.makeProbeDue();
    expect(breaker.mayRequest()).toBe(true);
    expect(breaker.mayRequest()).toBe(false);
  });

  test('ignores a time of another boot', () => {
    writeFileSync(join(folder, 'report-host.json'), '{"lastTryMs":99999999999}');
    expect(new CircuitBreaker(folder, adjustableClock()).mayRequest()).toBe(true);
  });

  test.each(['', '{', 'null', '[]', '{"lastTryMs":"x"}', '\u0000', ' '.repeat(100_000)])(
    'is closed where its file holds %p',
    (text) => {
      writeFileSync(join(folder, 'report-host.json'), text);
      expect(new CircuitBreaker(folder, adjustableClock()).mayRequest()).toBe(true);
    },
  );

  test('remembers an outage if its file cannot be written', () => {
    const breaker = new CircuitBreaker('/dev/null/none', adjustableClock());
    breaker.recordFailure('ECONNREFUSED', true);
    expect(breaker.mayRequest()).toBe(false);
  });
});
