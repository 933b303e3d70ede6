/** The names of the entries of archives of any program, as paths within the archive. */
import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { getFileNameLowLevel, type Entry } from 'yauzl';

const UTF8_NAME_BIT = 1 << 11;
/** An extra field with the name in UTF-8 (APPNOTE 4.6.9), which yauzl reads. */
const UNICODE_PATH_ID = 0x7075;

type RawName = Pick<Entry, 'fileNameRaw' | 'generalPurposeBitFlag' | 'extraFields'>;

/**
 * The name with `/` between its parts, without what would lead out of a folder, and without the `./` that tar writes:
 * other programs read such archives too, and nothing is written under these names.
 */
export function entryNameOf(entry: RawName): string {
  return decodedName(entry).replace(PARENT_PARTS, '').replace(LEADING_PARTS, '') || ARCHIVED_FOLDER;
}

/** The entry of the folder itself, as tar writes it. */
const ARCHIVED_FOLDER = './';

const PARENT_PARTS = /\/\.{1,2}(?=\/|$)/g;
/** Slashes, drive letters and dots, in any order: without `C:`, the name `C:../a` would begin with the next one. */
const LEADING_PARTS = /^(?:[a-z]:|\.{0,2}\/|\.\.$)+/i;

/** Without backslashes, which Windows has between the parts of a path. */
function decodedName({ fileNameRaw, generalPurposeBitFlag, extraFields }: RawName): string {
  const isEncodingKnown =
    (generalPurposeBitFlag & UTF8_NAME_BIT) !== 0 ||
    extraFields.some(({ id }) => id === UNICODE_PATH_ID);
  if (isEncodingKnown)
    return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
  if (isAscii(fileNameRaw)) return fileNameRaw.toString('latin1').replaceAll('\\', '/');
  // Info-ZIP on Linux and macOS writes names in UTF-8 without saying so.
  const text = isUtf8(fileNameRaw) ? fileNameRaw.toString('utf8') : japaneseName(fileNameRaw);
  if (text !== undefined) return text.replaceAll('\\', '/');
  const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
  return name.replaceAll(SECOND_BYTE, '_').replaceAll('\\', '/');
}

/** After another byte, it may be a part of a character of GBK or Big5, as in `\u529F.jpg`. */
const SECOND_BYTE = /(?<=[^\p{ASCII}])\\/gu;
/** The characters of two bytes in a text in Shift-JIS. */
const DOUBLE_BYTES = /[\x81-\x9f\xe0-\xfc][\x40-\xfc]/g;
/** A letter with an accent in CP437 or Windows-1252, and the letter after it. */
const ACCENTED = /^(?:.[a-z]|[\x80\x8e-\x90\x92\x99\x9a][A-Z])$/;
/** Kana, kanji and wide digits. */
const JAPANESE = /[\u3041-\u30ff\u4e00-\u9fff\uff10-\uff19]/;
const HALF_WIDTH = /[\uff61-\uff9f]/g;
let shiftJis: TextDecoder | undefined;

/**
 * The name in Shift-JIS, as programs on Windows in Japanese write it; undefined for one that is probably in another
 * encoding. Those of accented letters, and of Chinese and Korean, give half-width katakana and letters of private use.
 */
function japaneseName(bytes: Buffer): string | undefined {
  const pairs = bytes.toString('latin1').match(DOUBLE_BYTES) ?? [];
  if (pairs.every((pair) => ACCENTED.test(pair))) return undefined;
  try {
    shiftJis ??= new TextDecoder('shift_jis', { fatal: true });
    const text = shiftJis.decode(bytes);
    const isOther = (text.match(HALF_WIDTH)?.length ?? 0) >= pairs.length || /\p{Co}/u.test(text);
    return JAPANESE.test(text) && !isOther ? text : undefined;
  } catch {
    return undefined;
  }
}
