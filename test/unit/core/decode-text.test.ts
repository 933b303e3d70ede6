/** The encodings of XML files as programs write them. */
import { decodeXml } from '../../../src/core/decode-text.js';

const text = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?><a>é</a>`;

test.each([
  ['UTF-8', Buffer.from(text('utf-8')), 'utf-8'],
  ['UTF-8 with its mark', Buffer.from(`\uFEFF${text('utf-8')}`), 'utf-8'],
  ['UTF-16', Buffer.from(text('utf-16'), 'utf16le'), 'utf-16'],
  ['UTF-16 with its mark', Buffer.from(`\uFEFF${text('utf-16')}`, 'utf16le').swap16(), 'utf-16'],
  ['Latin-1', Buffer.from(text('iso-8859-1'), 'latin1'), 'iso-8859-1'],
  ['UTF-8 that says it is UTF-16, as .NET writes it', Buffer.from(text('utf-16')), 'utf-16'],
  ['an unknown encoding', Buffer.from(text('x-none')), 'x-none'],
])('%s', (_, bytes, encoding) => {
  expect(decodeXml(bytes)).toBe(text(encoding));
});
