/** Names of entries in hostile archives. */
import { win32 } from 'node:path';
import fc from 'fast-check';
import { entryNameOf } from '../../../src/core/zip/entry-name.js';
import { fuzzRuns } from '../../support/long-run.js';

test('no name leads out of a folder, whatever its bytes are', () => {
  const part = fc.constantFrom('..', '.', '/', '\\', 'C:', 'a', '表', '\x95', '\x5c', '\x82', '\0');
  const bytes = fc.array(part).map((parts) => Buffer.from(parts.join(''), 'latin1'));
  const property = fc.property(bytes, fc.constantFrom(0, 0x800), (fileNameRaw, flag) => {
    const name = entryNameOf({ fileNameRaw, generalPurposeBitFlag: flag, extraFields: [] });
    expect(name).not.toBe('');
    expect(name).not.toContain('\\');
    expect(win32.relative('C:\\folder', win32.resolve('C:\\folder', name))).not.toMatch(
      /^\.\.(\\|$)|^[a-z]:/i,
    );
  });
  fc.assert(property, { numRuns: fuzzRuns(2_000) });
});
