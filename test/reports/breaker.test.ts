import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Breaker,
  MOST_FAILURES,
  PROBE_PAUSE_MS,
  readHostState,
} from '../../src/reports/breaker.js';
import { verdictOnFailure, verdictOnStatus } from '../../src/reports/verdict.js';
import { ServiceError } from '../../src/kernel/errors.js';
import { shiftableClock } from './shiftable-clock.js';

const passing = { kind: 'passing', reason: 'status 500' } as const;
const down = { kind: 'down', reason: 'ECONNREFUSED' } as const;
const taken = { kind: 'taken' } as const;

describe('a verdict', () => {
  test.each([
    [200, 'taken'],
    [204, 'taken'],
    [302, 'passing'],
    [400, 'refused'],
    [404, 'refused'],
    [408, 'passing'],
    [429, 'down'],
    [500, 'passing'],
    [522, 'passing'],
  ])('on status %d is: %s', (status, kind) => {
    expect(verdictOnStatus(status).kind).toBe(kind);
  });

  const failure = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
  test.each([
    [failure('ECONNREFUSED'), 'down', 'ECONNREFUSED'],
    [failure('ECONNRESET'), 'passing', 'ECONNRESET'],
    [new ServiceError('unreachable', 'No.', { cause: failure('ENOTFOUND') }), 'down', 'ENOTFOUND'],
    [new ServiceError('banned', 'Banned.'), 'down', 'banned'],
    [new Error('odd\n\u001B[31mthing'), 'passing', 'odd [31mthing'],
    ['no error at all', 'passing', 'unknown'],
  ])('on %p is: %s', (error, kind, reason) => {
    expect(verdictOnFailure(error)).toEqual({ kind, reason });
  });
});

describe('the breaker', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-breaker-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('opens after three failures in a row, and not when one went well between', async () => {
    const breaker = new Breaker(folder, shiftableClock());
    for (const verdict of [passing, passing, taken, passing, passing]) await breaker.hear(verdict);
    expect(await breaker.ask()).toBe('free');
    await breaker.hear(passing);
    expect(MOST_FAILURES).toBe(3);
    expect(await breaker.ask()).toBe('no');
  });

  test('opens at once where there is no way to the host, for every process', async () => {
    const clock = shiftableClock();
    await new Breaker(folder, clock).hear(down);
    expect(await new Breaker(folder, clock).ask()).toBe('no');
  });

  test('lets one report a minute through, of all processes together', async () => {
    const clock = shiftableClock();
    const breakers = Array.from({ length: 5 }, () => new Breaker(folder, clock));
    await breakers[0]?.hear(down);
    let probes = 0;
    for (let second = 0; second < 600; second += 5) {
      clock.advance(5_000);
      const leaves = await Promise.all(breakers.map((breaker) => breaker.ask()));
      const granted = leaves.filter((leave) => leave === 'probe').length;
      expect(granted).toBeLessThanOrEqual(1);
      probes += granted;
      if (granted > 0) await breakers[leaves.indexOf('probe')]?.hear(passing);
    }
    expect(PROBE_PAUSE_MS).toBe(60_000);
    expect(probes).toBe(10);
  });

  test('closes when a probe went well, and remembers the last error', async () => {
    const clock = shiftableClock();
    const breaker = new Breaker(folder, clock);
    await breaker.hear(down);
    clock.advance(PROBE_PAUSE_MS);
    expect(await breaker.ask()).toBe('probe');
    expect(await breaker.ask()).toBe('no');
    await breaker.hear(taken);
    expect(await new Breaker(folder, clock).ask()).toBe('free');
    expect((await readHostState(folder)).lastError?.reason).toBe('ECONNREFUSED');
  });

  test('probes before its time when asked to', async () => {
    const breaker = new Breaker(folder, shiftableClock());
    await breaker.hear(down);
    expect(await breaker.ask(true)).toBe('probe');
    expect(await breaker.ask()).toBe('no');
  });

  test('does not wait for a time that another boot wrote down', async () => {
    writeFileSync(join(folder, 'report-host.json'), '{"downSinceTryMs":99999999999}');
    expect(await new Breaker(folder, shiftableClock()).ask()).toBe('probe');
  });

  test.each(['', '{', 'null', '[]', '{"downSinceTryMs":"x"}', '\u0000'])(
    'takes a state of %p for that of a host that is well',
    async (text) => {
      writeFileSync(join(folder, 'report-host.json'), text);
      expect(await new Breaker(folder, shiftableClock()).ask()).toBe('free');
    },
  );
});
