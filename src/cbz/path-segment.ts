/** One folder's or file's name, made so that Linux, macOS, Windows and what mounts them all take it. */
import filenamify from 'filenamify';

/** What the common file systems allow; counted in bytes of UTF-8, which is never fewer than UTF-16 units. */
export const MAX_SEGMENT_BYTES = 255;
/** Longer than any segment may be, so that cutting happens here, by bytes, and not in the library. */
const UNCUT_LENGTH = 2 ** 20;
/** Nothing longer is looked at: a name is cut far below it. */
const MOST_CHARACTERS = 4_096;

/** Control and direction marks, but not the joiner that holds an emoji together; lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cs}\u2028\u2029]|(?!\u200D)\p{Cf}/gu;
/** A leading dot hides a file, and a leading dash looks like an option. */
const MISLEADING_START = /^[\s.\-\u200D]+/u;

/**
 * The text as a name of at most `mostBytes` bytes, cut between characters as people see them. Empty where
 * nothing of it is left.
 */
export function cleanSegment(text: string, mostBytes = MAX_SEGMENT_BYTES): string {
  const seen = text
    .slice(0, MOST_CHARACTERS)
    .replace(/\s+/gu, ' ')
    .replace(UNSEEN, '')
    .replace(MISLEADING_START, '');
  if (/^[\s.]*$/u.test(seen)) return '';
  return sanitized(cut(sanitized(seen), mostBytes));
}

function sanitized(text: string): string {
  const name = filenamify(text, { replacement: '_', maxLength: UNCUT_LENGTH });
  return name.replace(/ {2,}/g, ' ').replace(MISLEADING_START, '');
}

function cut(text: string, mostBytes: number): string {
  if (Buffer.byteLength(text) <= mostBytes) return text;
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text);
  let end = 0;
  let bytes = 0;
  for (const { segment, index } of graphemes) {
    bytes += Buffer.byteLength(segment);
    if (bytes > mostBytes) break;
    end = index + segment.length;
  }
  // One endless grapheme is cut within; better half of it than no name.
  return (end === 0 ? cutWithin(text, mostBytes) : text.slice(0, end)).trimEnd();
}

function cutWithin(text: string, mostBytes: number): string {
  let kept = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > mostBytes) break;
    kept += character;
  }
  return kept;
}
