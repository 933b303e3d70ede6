/** The shape of the chapter image delivery metadata (spec 2.4, 4.2), checked before anything is done with it. */
import * as z from 'zod';
import { isPathSegment } from './page-url.js';

/** No chapter has so many; an answer that says so is not believed. */
const MOST_PAGES = 5_000;
/** Longer than any base URL, shorter than what a hostile one could use to fill logs and reports. */
const LONGEST_BASE_URL = 4_096;

const segment = z.string().refine(isPathSegment, 'not one plain path segment');
const names = z.array(segment).max(MOST_PAGES).refine(allDifferent, 'a name stands twice');

export const atHomeSchema = z.object({
  result: z.literal('ok'),
  baseUrl: z.string().min(1).max(LONGEST_BASE_URL),
  chapter: z.object({ hash: segment, data: names, dataSaver: names }),
});

function allDifferent(list: readonly string[]): boolean {
  return new Set(list).size === list.length;
}
