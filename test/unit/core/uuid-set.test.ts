/** A set of UUIDs has what a Set of strings would have, in far less memory. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { UuidSet } from '../../../src/core/uuid-set.js';

const NIL = '00000000-0000-0000-0000-000000000000';

test('has what was added, once, in any case of its letters', () => {
  fc.assert(
    fc.property(fc.array(fc.uuid()), fc.array(fc.uuid()), (added, others) => {
      const set = new UuidSet();
      const expected = new Set<string>();
      for (const id of added) {
        expect(set.add(id.toUpperCase())).toBe(!expected.has(id));
        expected.add(id);
      }
      for (const id of [...added, ...others]) expect(set.has(id)).toBe(expected.has(id));
      expect(set.size).toBe(expected.size);
    }),
  );
});

test('keeps ids that differ in their last digit only, and grows with them', () => {
  const ids = Array.from(
    { length: 5_000 },
    (_, index) => `0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f${index.toString(16).padStart(4, '0')}`,
  );
  const set = new UuidSet();
  for (const id of ids) expect(set.add(id)).toBe(true);
  expect(ids.every((id) => set.has(id))).toBe(true);
  expect(set.has(randomUUID())).toBe(false);
  expect(set.size).toBe(ids.length);
});

test('does not take the nil UUID, or a text that is not a UUID', () => {
  const set = new UuidSet();
  for (const text of [NIL, '', 'x', `${randomUUID()} `, randomUUID().replaceAll('-', '')]) {
    expect(set.add(text)).toBe(false);
    expect(set.has(text)).toBe(false);
  }
  expect(set.size).toBe(0);
});
