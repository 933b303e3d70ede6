/** The names of the entries of archives of any program, as paths within the archive. */
import { isAscii, isUtf8 } from 'node:buffer';
import { getFileNameLowLevel, type Entry } from 'yauzl';

const UTF8_NAME_BIT = 1 << 11;
/** An extra field with the name in UTF-8 (APPNOTE 4.6.9), which yauzl reads. */
const UNICODE_PATH_ID = 0x7075;

type RawName = Pick<Entry, 'fileNameRaw' | 'generalPurposeBitFlag' | 'extraFields'>;

/**
 * The name with `/` between its parts, without what would lead out of a folder, and without the `./` that tar writes:
 * such archives are read, as other programs do, and nothing is written under these names.
 */
export function entryNameOf(entry: RawName): string {
  const name = decodedName(entry).replaceAll('\\', '/');
  return name.replace(PARENT_PARTS, '').replace(LEADING_PARTS, '');
}

const PARENT_PARTS = /\/\.{1,2}(?=\/|$)/g;
/** Slashes, drive letters and dots, in any order: without `C:`, the name `C:../a` would begin with the next one. */
const LEADING_PARTS = /^(?:[a-z]:|\.{0,2}\/|\.\.$)+/i;

/** Info-ZIP on Linux and macOS writes names in UTF-8 without saying so; yauzl decodes them as CP437. */
function decodedName({ fileNameRaw, generalPurposeBitFlag, extraFields }: RawName): string {
  const isEncodingKnown =
    (generalPurposeBitFlag & UTF8_NAME_BIT) !== 0 ||
    extraFields.some(({ id }) => id === UNICODE_PATH_ID);
  if (!isEncodingKnown && isAscii(fileNameRaw)) return fileNameRaw.toString('latin1');
  if (!isEncodingKnown && isUtf8(fileNameRaw)) return fileNameRaw.toString('utf8');
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
}
