/** Most names are of plain characters and are taken as they are, which must be what the library makes of them. */
import fc from 'fast-check';
import { cleanSegment } from '../../../src/core/path-segment.js';

/** It is removed: a name with it is cleaned by the library, and comes out without it. */
const ZERO_WIDTH_SPACE = '\u200B';
const PIECES = [
  ...['con', 'COM1', 'lpt', 'nul', 'a', 'Z', '7', 'é', ' ', '  ', '.', '..', '-', '_', '/', ':'],
  ...['#recycle', '@eaDir', '(', ']', '!', '&', "'", '+', '=', ';', ',', '~', '%'],
];

test('a name that is taken as it is is the one that the library gives', () => {
  const names = fc
    .array(fc.constantFrom(...PIECES), { maxLength: 6 })
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(names, fc.integer({ min: 4, max: 30 }), (name, maxBytes) => {
      expect(cleanSegment(name, maxBytes)).toBe(cleanSegment(name + ZERO_WIDTH_SPACE, maxBytes));
    }),
    { numRuns: 5_000 },
  );
});

test.each(['Kakaka Chronicle Vol.01', 'Ch.1.5 - It’s over! [A & B]', 'constable', 'Vol. 1'])(
  '%s stays as it is',
  (name) => {
    expect(cleanSegment(name)).toBe(name);
  },
);

test.each([
  ['con', 'con_'],
  ['Wait...', 'Wait'],
  ['What..now', 'What.now'],
  ['two  spaces ', 'two spaces'],
  ['-rf', 'rf'],
  ['#recycle', 'recycle'],
])('%s becomes %s', (name, expected) => {
  expect(cleanSegment(name)).toBe(expected);
});
