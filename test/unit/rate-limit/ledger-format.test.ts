import fc from 'fast-check';
import {
  extractBody,
  serializeBody,
  parseRecord,
  serializeRecord,
} from '../../../src/rate-limit/ledger-format.js';
import {
  emptyRecord,
  openRecord,
  type LedgerRecord,
} from '../../../src/rate-limit/ledger-record.js';
import { forecastGrants, prune } from '../../../src/rate-limit/ledger-state.js';
import { viewOf } from '../../../src/rate-limit/ledger-view.js';
import { quotasOf } from '../../../src/rate-limit/quotas.js';
import { fuzzRuns } from '../../support/long-run.js';

const DAY_MS = 24 * 60 * 60_000;
const quotas = quotasOf('api.example.org', 'GET', '/at-home/server/x');
const boot = { boot: 'b-1', host: 'one', writtenMs: 1_000, wallMs: 1e12, revision: 7 };
const other = { boot: 'b-2', host: 'two', writtenMs: 70_000, wallMs: 1e12, revision: 6 };
const stored = <T>(entry: T, of = 'b-1', shiftsMs: readonly [string, number][] = []) => ({
  entry,
  boot: of,
  shiftsMs: new Map(shiftsMs),
});
const backoff = { sinceMs: 10, untilMs: 900, strikes: 2 };
const FULL: LedgerRecord = {
  id: 'ledger-1',
  revision: 7,
  boots: [boot, other],
  entries: {
    permits: [
      stored({ id: 'a-1', processId: 'a', quotas, grantedMs: 3, usedAtGrant: 4, settledMs: 7.25 }),
      stored({ id: 'b-1', processId: 'b', quotas: [], grantedMs: 3 }, 'b-2', [['b-1', -69_000.5]]),
    ],
    queue: [stored({ id: 'c-1', processId: 'c', quotas, queuedMs: 990, readyMs: 999 })],
    externalUses: [stored({ key: 'api.example.org', count: 3, observedMs: 4, untilMs: 60_000 })],
    limits: [stored({ key: 'api.example.org', requests: 3, observedMs: 4 }, 'b-2')],
    unknownUse: [stored({ atMs: 5 })],
    rateLimit: [stored(backoff)],
    ban: [stored({ ...backoff, over: true as const })],
  },
  probeId: 'b-1',
};
const TEXT = serializeRecord(FULL);
const NOW = { nowMs: 1_200, wallMs: 1e12 };

test('a record is the same after writing and reading', () => {
  expect(parseRecord(TEXT)).toEqual(FULL);
  const fresh = openRecord(emptyRecord('new'), { ...NOW, boot: 'b', host: 'h' }).close(NOW);
  expect(parseRecord(serializeRecord(fresh))).toEqual(fresh);
});

test('an unmodified record has the same body, so that it is not written again', () => {
  const record = parseRecord(TEXT);
  if (record === 'damaged') throw new Error('damaged');
  expect(serializeBody(record)).toBe(extractBody(TEXT));
  const seen = openRecord(record, { ...NOW, boot: 'b-1', host: 'one' }).close(NOW);
  const again = openRecord(seen, { ...NOW, boot: 'b-1', host: 'one' }).close(NOW);
  expect(serializeBody(again)).toBe(serializeBody(seen));
});

test('a text that is truncated anywhere is damaged', () => {
  for (let length = 0; length < TEXT.length; length += 1) {
    expect(parseRecord(TEXT.slice(0, length))).toBe('damaged');
  }
});

test.each([
  ['another version', '"version":3', '"version":2'],
  ['a time far ahead', '"untilMs":60000', '"untilMs":600000000'],
  ['a time out of range', '"grantedMs":3', '"grantedMs":-1e300'],
  ['a missing number', '"grantedMs":3', '"grantedMs":null'],
  ['an unknown quota', '"quotas":[0,1]', '"quotas":[0,9]'],
  ['an unknown boot', '"observedMs":4,"boot":"b-2"', '"observedMs":4,"boot":"b-9"'],
  ['a shift of an unknown boot', '"shifts":{"b-1"', '"shifts":{"b-9"'],
  ['an implausible count', '"count":3', '"count":1000000'],
  ['a fractional count', '"count":3', '"count":2.5'],
  ['a fraction of a request', '"requests":40', '"requests":0.5'],
  ['a period of a year', '"periodMs":60000', '"periodMs":31536000000'],
  ['a process id that is a path', '"processId":"b"', '"processId":"../b"'],
  ['a control character in a key', '"key":"api.example.org"', '"key":"api\\u001b[2J"'],
  ['a direction mark in a key', '"key":"api.example.org"', '"key":"api\\u202eexample"'],
  ['an escape sequence in a host name', '"host":"two"', '"host":"\\u001b]0;two\\u0007"'],
])('%s is damage', (_, original, changed) => {
  expect(TEXT).toContain(original);
  expect(parseRecord(TEXT.replace(original, changed))).toBe('damaged');
});

test.each([
  ['deeply nested', `${'['.repeat(400_000)}${']'.repeat(400_000)}`],
  ['huge', JSON.stringify('x'.repeat(2 * 1024 * 1024))],
  ['split into many lines', '\n'.repeat(900_000)],
])('a text that is %s is damaged', (_, text) => {
  const [head = ''] = TEXT.split('\n');
  expect(parseRecord(`${head}\n${text}\n`)).toBe('damaged');
});

describe('every accepted text', () => {
  const corrupted = fc
    .tuple(fc.nat(TEXT.length), fc.nat(40), fc.string())
    .map(([at, gone, put]) => TEXT.slice(0, at) + put + TEXT.slice(at + gone));
  const numbers = [...TEXT.matchAll(/-?\d+(?:\.\d+)?/g)];
  const otherNumbers = fc
    .array(fc.tuple(fc.nat(numbers.length - 1), fc.oneof(fc.double(), fc.maxSafeInteger())), {
      minLength: 1,
      maxLength: 6,
    })
    .map((changes) =>
      [...changes]
        .sort(([a], [b]) => b - a)
        .reduce((text, [which, value]) => {
          const { index, 0: is } = numbers[which] ?? { index: 0, 0: '' };
          return `${text.slice(0, index)}${value}${text.slice(index + is.length)}`;
        }, TEXT),
    );
  const json = fc.tuple(fc.json(), fc.json()).map((lines) => `${lines.join('\n')}\n`);
  const text = fc.oneof(corrupted, otherNumbers, json, fc.string());
  const readers = fc.constantFrom('b-1', 'b-2', 'b-3').chain((of) =>
    fc.record({
      boot: fc.constant(of),
      host: fc.constantFrom('one', 'two'),
      nowMs: fc.double({ min: 0, max: 1e12, noNaN: true }),
      wallMs: fc.double({ min: -1e13, max: 1e13, noNaN: true }),
    }),
  );

  test('can be written, and is accepted again', () => {
    fc.assert(
      fc.property(text, (input) => {
        const record = parseRecord(input);
        if (record === 'damaged') return;
        expect(parseRecord(serializeRecord(record))).toEqual(record);
      }),
      { numRuns: fuzzRuns(5_000) },
    );
  });

  test('delays requests by at most a day, on any boot, and can be displayed and written', () => {
    fc.assert(
      fc.property(text, readers, (input, reader) => {
        const record = parseRecord(input);
        if (record === 'damaged') return;
        const own = record.boots.find((of) => of.boot === reader.boot);
        // A clock behind the last write of its boot belongs to another boot, see file-store.ts.
        if (own && own.writtenMs > reader.nowMs) return;
        const { state, close } = openRecord(record, reader);
        const aheadMs = DAY_MS + 120_000;
        for (const until of [state.backoff.ban, state.backoff.rateLimit, ...state.externalUses]) {
          expect(until?.untilMs ?? 0).toBeLessThanOrEqual(reader.nowMs + aheadMs);
        }
        expect(() => new Date(viewOf(state, reader).cooldown?.untilMs ?? 0)).not.toThrow();
        forecastGrants(state, reader.nowMs);
        prune(state, reader.nowMs);
        expect(parseRecord(serializeRecord(close(reader)))).not.toBe('damaged');
      }),
      { numRuns: fuzzRuns(5_000) },
    );
  });
});
