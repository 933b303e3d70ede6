import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bodyIn, bodyOf, readState, textOf } from '../../src/service/ledger-format.js';
import { emptyState, type LedgerState } from '../../src/service/ledger-state.js';
import { quotasOf } from '../../src/service/quotas.js';

const quotas = quotasOf('api.example.org', 'GET', '/at-home/server/x');
const halt = { sinceMs: 10, sinceWallMs: 1e12, untilMs: 900, strikes: 2 };
const FULL: LedgerState = {
  writtenMs: 1_000,
  fullAtMs: 5,
  places: [
    { id: 'a-1', holder: 'a', quotas, grantedMs: 3, usedThen: 4, settledMs: 7.25 },
    { id: 'b-1', holder: 'b', quotas: [], grantedMs: 3 },
  ],
  queue: [{ id: 'c-1', holder: 'c', quotas, readyMs: 999 }],
  foreign: [{ key: 'api.example.org', count: 3, heardMs: 4, untilMs: 60_000 }],
  limits: [{ key: 'api.example.org', requests: 3, heardMs: 4 }],
  cooldown: { stop: halt, ban: { ...halt, over: true }, probe: 'b-1' },
};
const TEXT = textOf(FULL.writtenMs, bodyOf(FULL));

test('what is written is read back the same', () => {
  expect(readState(TEXT)).toEqual(FULL);
  const empty = emptyState(12.5);
  expect(readState(textOf(12.5, bodyOf(empty)))).toEqual(empty);
});

test('a state that did not change has the same body, so that it is not written again', () => {
  const state = readState(TEXT);
  expect(state === 'damaged' ? '' : bodyOf(state)).toBe(bodyIn(TEXT));
});

test('a text that is cut off anywhere is damaged', () => {
  for (let length = 0; length < TEXT.length; length += 1) {
    expect(readState(TEXT.slice(0, length))).toBe('damaged');
  }
});

test.each([
  ['another version', '"version":1', '"version":2'],
  ['a time far ahead', '"untilMs":60000', '"untilMs":600000000'],
  ['a negative time', '"grantedMs":3', '"grantedMs":-3'],
  ['no number', '"grantedMs":3', '"grantedMs":null'],
  ['a quota that is not there', '"quotas":[0,1]', '"quotas":[0,9]'],
  ['a count beyond belief', '"count":3', '"count":1e9'],
  ['a holder that leads elsewhere', '"holder":"b"', '"holder":"../b"'],
])('%s is damage', (_, is, becomes) => {
  expect(TEXT).toContain(is);
  expect(readState(TEXT.replace(is, becomes))).toBe('damaged');
});

test('no text whatever crashes the reader', () => {
  const spoilt = fc
    .tuple(fc.nat(TEXT.length), fc.nat(40), fc.string())
    .map(([at, gone, put]) => TEXT.slice(0, at) + put + TEXT.slice(at + gone));
  const other = fc.tuple(fc.json(), fc.json()).map((lines) => `${lines.join('\n')}\n`);
  fc.assert(
    fc.property(fc.oneof(spoilt, other, fc.string()), (text) => {
      const state = readState(text);
      if (state === 'damaged') return;
      // What is believed can be written, and is believed again.
      expect(readState(textOf(state.writtenMs, bodyOf(state)))).toEqual(state);
    }),
    { numRuns: 10_000 },
  );
});
