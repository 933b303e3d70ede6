import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checksum, joinValue, MAX_PARTS, splitValue } from '../../../src/auth/keychain-layout.js';
import { MAX_ENTRY_BYTES } from '../../../src/auth/keychain.js';
import { MAX_FIELD_BYTES, MAX_TOKEN_BYTES } from '../../../src/auth/login-record.js';
import { decodeHeader, encodeHeader, parseLogin } from '../../../src/auth/login-schema.js';

test('a value is split into parts that fit into an entry, and joined again', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.integer({ min: 1, max: 50 }),
      (value, maxBytes) => {
        const parts = splitValue(value, maxBytes);
        expect(parts.length).toBeGreaterThan(0);
        expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(maxBytes);
        expect(joinValue(parts, checksum(value))).toBe(value);
      },
    ),
  );
});

test('missing, changed or swapped parts are detected', () => {
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

test('2,560 bytes are one part, 2,561 bytes two, and the longest token fits into all parts', () => {
  expect(splitValue('x'.repeat(2_560))).toHaveLength(1);
  expect(splitValue('x'.repeat(2_561)).map((part) => part.length)).toEqual([2_560, 1]);
  expect(splitValue('x'.repeat(MAX_TOKEN_BYTES)).length).toBeLessThanOrEqual(MAX_PARTS);
});

test('a header with the longest names fits into an entry, and is decoded as it was encoded', () => {
  const location = { slot: 'b', parts: MAX_PARTS, check: checksum('') } as const;
  const header = {
    format: 1 as const,
    username: '"'.repeat(MAX_FIELD_BYTES),
    clientId: '\\'.repeat(MAX_FIELD_BYTES),
    times: {
      obtainedAtMs: 4e15,
      accessLastsMs: 4e15,
      refreshObtainedAtMs: 4e15,
      refreshLastsMs: 4e15,
    },
    secrets: {
      'client-secret': location,
      'access-token': location,
      'refresh-token': location,
    },
  };
  const bytes = encodeHeader(header);
  expect(bytes.length).toBeLessThanOrEqual(MAX_ENTRY_BYTES);
  expect(decodeHeader(bytes)).toEqual(header);
});

test('decoding a header and parsing a login never throw, whatever the input', () => {
  fc.assert(
    fc.property(fc.json(), fc.uint8Array(), fc.anything(), (json, bytes, value) => {
      decodeHeader(Buffer.from(json));
      expect(decodeHeader(bytes)).toBeUndefined();
      parseLogin(value);
    }),
  );
});
