/** Schema of the chapter image delivery metadata (spec 2.4, 4.2). */
import * as z from 'zod';

const MAX_PAGES = 5_000;
/** Bounds what a hostile base URL can write to logs and reports. */
const MAX_BASE_URL_LENGTH = 4_096;

/** No separators, no control characters, not `.` or `..`. */
const PATH_SEGMENT = /^(?!\.{1,2}$)[^/\\?#\p{Cc}]{1,255}$/u;

/** Whether `name` is safe as one segment of a URL's path, and so of a path on this machine. */
export function isPathSegment(name: string): boolean {
  return PATH_SEGMENT.test(name);
}

const segment = z.string().refine(isPathSegment, 'not a single path segment');
const names = z
  .array(segment)
  .max(MAX_PAGES)
  .refine((list) => new Set(list).size === list.length, 'duplicate name');

export const atHomeSchema = z.object({
  result: z.literal('ok'),
  baseUrl: z.string().min(1).max(MAX_BASE_URL_LENGTH),
  chapter: z.object({ hash: segment, data: names, dataSaver: names }),
});
