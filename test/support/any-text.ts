/**
 * Texts for property tests. fast-check's own `unit: 'binary'`, which its `webUrl` uses too, first fills a table of all
 * code points, for a second in each test file.
 */
import fc from 'fast-check';

const SURROGATES = 0x800;

/** A unit for `fc.string`: any code point but a surrogate. */
export const codePoint = fc.nat({ max: 0x10ffff - SURROGATES }).map(
  (index) => String.fromCodePoint(index < 0xd800 ? index : index + SURROGATES),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (point === undefined || text !== String.fromCodePoint(point)) throw new TypeError('not one');
    if (point >= 0xd800 && point < 0xe000) throw new TypeError('a surrogate');
    return point < 0xd800 ? point : point - SURROGATES;
  },
);

const urlPart = fc.constantFrom(
  ...'a Z 0 9 / ? = & # @ : ; ~ . - _ + ! %20 %2F %e2%82%ac'.split(' '),
);

/** An http: or https: URL with a path, and sometimes a query and a fragment. */
export const webUrl = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), fc.string({ unit: urlPart, maxLength: 30 }))
  .map(([scheme, host, rest]) => `${scheme}://${host}/${rest}`);
