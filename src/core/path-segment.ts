/** Names of files and folders that are valid on Linux, macOS and Windows, and on network mounts. */
import filenamify from 'filenamify';

/** The limit of the common file systems, in bytes of UTF-8 (never fewer than UTF-16 units). */
export const MAX_SEGMENT_BYTES = 255;
/** The limit of encrypted folders of some NAS, in bytes. */
export const SHORT_SEGMENT_BYTES = 143;
/** Disables the library's truncation, which does not count bytes. */
const NO_MAX_LENGTH = 2 ** 20;
/** Bounds the work: names are much shorter. */
const MAX_INPUT_LENGTH = 4_096;

/** Control and format characters, except the joiner in emoji, and lone surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u2028\u2029]|(?!\u200D)\p{Cf}/gu;
/** A leading dot hides a file, and a leading dash looks like an option. */
const MISLEADING_START = /^[\s.\-\u200D]+/u;
/**
 * The folders, in lower case, in which a NAS or Windows keeps deleted files, snapshots and thumbnails. These go away by
 * themselves.
 */
const SYSTEM_FOLDERS = new Set([
  '#recycle',
  '#snapshot',
  '@eadir',
  '@recently-snapshot',
  '@recycle',
  '$recycle.bin',
]);

/** Kavita refuses to scan a folder whose path contains two dots, also within a name such as `Wait... What_`. */
const SEVERAL_DOTS = /\.{2,}/g;

/**
 * What stays as it is, which most names do: letters, digits and other characters of ASCII, without two spaces or dots in a
 * row, without one at an end, and without the start of a name that Windows reserves, such as `con`. To clean a name by the
 * library takes twenty times as long.
 */
const PLAIN = /^(?!con|prn|aux|nul|com|lpt)[\w(['!&+,](?:[\w()[\]'!&+,;=-]| (?! |$)|\.(?!\.|$))*$/i;

/** Returns a name of at most `maxBytes` bytes, cut between graphemes; empty if nothing of `text` is usable. */
export function cleanSegment(text: string, maxBytes = MAX_SEGMENT_BYTES): string {
  if (text.length <= maxBytes && PLAIN.test(text)) return text;
  const visible = text
    .slice(0, MAX_INPUT_LENGTH)
    .replace(/\s+/gu, ' ')
    .replace(INVISIBLE, '')
    .replace(MISLEADING_START, '');
  if (/^[\s.]*$/u.test(visible)) return '';
  return sanitized(truncate(sanitized(visible), maxBytes));
}

function sanitized(text: string): string {
  const name = filenamify(text, { replacement: '_', maxLength: NO_MAX_LENGTH });
  const shown = name
    .replace(/ {2,}/g, ' ')
    .replace(MISLEADING_START, '')
    .replace(SEVERAL_DOTS, (dots) => (dots.length === 2 ? '.' : '…'));
  return isHiddenFolder(shown) ? shown.slice(1) : shown;
}

/** Whether a folder has no files of its owner's collection, which are neither read nor written. */
export function isHiddenFolder(name: string): boolean {
  return name.startsWith('.') || SYSTEM_FOLDERS.has(name.toLowerCase());
}

/** The name and its ending, which stays whole: the name is cut where the limit of the file system needs it. */
export function fitSegment(name: string, ending: string, maxBytes = MAX_SEGMENT_BYTES): string {
  return truncate(name, maxBytes - Buffer.byteLength(ending)) + ending;
}

/** Cuts between graphemes. */
export function truncate(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  // Each UTF-16 unit takes a byte or more: no longer part of it can fit.
  const some = text.slice(0, maxBytes + 1);
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(some);
  const kept = longestPrefix(
    Array.from(graphemes, ({ segment }) => segment),
    maxBytes,
  );
  // A single grapheme can be too long; then it is cut between code points.
  return (kept === '' ? longestPrefix(some, maxBytes) : kept).trimEnd();
}

function longestPrefix(characters: Iterable<string>, maxBytes: number): string {
  let kept = '';
  let bytes = 0;
  for (const character of characters) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept;
}

/** Equal for two paths that some file system considers the same. */
export function pathCollisionKey(path: string): string {
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}
