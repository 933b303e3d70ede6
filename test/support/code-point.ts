/** A unit for `fc.string`: any code point but a surrogate. fast-check's own first fills a table of all of them, for 1 s. */
import fc from 'fast-check';

const SURROGATES = 0x800;

export const codePoint = fc.nat({ max: 0x10ffff - SURROGATES }).map(
  (index) => String.fromCodePoint(index < 0xd800 ? index : index + SURROGATES),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (point === undefined || text !== String.fromCodePoint(point)) throw new TypeError('not one');
    if (point >= 0xd800 && point < 0xe000) throw new TypeError('a surrogate');
    return point < 0xd800 ? point : point - SURROGATES;
  },
);
