import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  encodeHeader,
  joinValue,
  MAX_PARTS,
  decodeHeader,
  splitValue,
  checksum,
} from '../../../src/auth/keychain-layout.js';
import { MAX_ENTRY_BYTES } from '../../../src/auth/keychain.js';
import { MAX_FIELD_BYTES, MAX_TOKEN_BYTES, parseLogin } from '../../../src/auth/login-record.js';

test('any value comes back from its parts, each of which fits into an entry', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.integer({ min: 1, max: 50 }),
      (value, mostBytes) => {
        const parts = splitValue(value, mostBytes);
        expect(parts.length).toBeGreaterThan(0);
        expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(mostBytes);
        expect(joinValue(parts, checksum(value))).toBe(value);
      },
    ),
  );
});

test('parts that are missing, changed or swapped are noticed', () => {
  const value = 'abcdefghij'.repeat(20);
  const parts = splitValue(value, 50);
  const check = checksum(value);
  expect(joinValue(parts.slice(1), check)).toBeUndefined();
  expect(
    joinValue(
      [...parts].reverse().map((part, i) => (i ? part : part.subarray(1))),
      check,
    ),
  ).toBeUndefined();
  expect(joinValue([...parts, Buffer.from('x')], check)).toBeUndefined();
});

test('a value of 2,560 bytes is one entry, one byte more are two; the longest token fits', () => {
  expect(splitValue('x'.repeat(2_560))).toHaveLength(1);
  expect(splitValue('x'.repeat(2_561)).map((part) => part.length)).toEqual([2_560, 1]);
  expect(splitValue('x'.repeat(MAX_TOKEN_BYTES)).length).toBeLessThanOrEqual(MAX_PARTS);
});

test('the head of the longest names fits into an entry, and reads back as it was', () => {
  const whereabouts = { slot: 'b', parts: MAX_PARTS, check: checksum('') } as const;
  const head = {
    username: '"'.repeat(MAX_FIELD_BYTES),
    clientId: '\\'.repeat(MAX_FIELD_BYTES),
    times: {
      obtainedAtMs: 4e15,
      accessLastsMs: 4e15,
      refreshObtainedAtMs: 4e15,
      refreshLastsMs: 4e15,
    },
    secrets: {
      'client-secret': whereabouts,
      'access-token': whereabouts,
      'refresh-token': whereabouts,
    },
  };
  const bytes = encodeHeader(head);
  expect(bytes.length).toBeLessThanOrEqual(MAX_ENTRY_BYTES);
  expect(decodeHeader(bytes)).toEqual(head);
});

test('whatever stands in an entry or a file, reading it as a head or a login never throws', () => {
  fc.assert(
    fc.property(fc.json(), fc.uint8Array(), fc.anything(), (json, bytes, value) => {
      decodeHeader(Buffer.from(json));
      expect(decodeHeader(bytes)).toBeUndefined();
      parseLogin(value);
    }),
  );
});
