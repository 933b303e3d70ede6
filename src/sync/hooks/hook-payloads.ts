/** What hooks receive about a title: its new chapters, those that failed, and those that were taken down. */
import { sep } from 'node:path';
import { pluralize } from '../../core/human-format.js';
import type { HookEvent } from '../../config/hook-services.js';
import type { SeriesUpdate } from '../../events/series-updates.js';
import type { ChapterFields } from '../../events/chapter-fields.js';

/** A chapter that failed or was taken down, with the fields of its event. */
export interface ChapterNotice extends ChapterFields {
  readonly id: string;
  readonly reason: string;
  readonly message?: string;
}

/** A contract, as SeriesUpdate is (docs/sync.md): fields are only added. */
export interface SeriesNotice {
  readonly event: Exclude<HookEvent, 'new'>;
  readonly series: SeriesUpdate['series'];
  readonly chapters: readonly ChapterNotice[];
  /** Why a title as a whole, a list or the run failed: an error code, and its message. */
  readonly reason?: string;
  readonly message?: string;
}

export type HookUpdate = SeriesUpdate | SeriesNotice;

/** Stands for the id of a title where there is none. */
export const NO_ID = '00000000-0000-4000-8000-000000000000';

const MAX_NUMBERS = 10;
const DONE = { failed: 'failed', 'taken-down': 'taken down' } as const;

/** One line for a notification, such as `The Lighthouse: 2 new chapters (3, 4)`. */
export function notificationText(update: HookUpdate): string {
  const { series, chapters } = update;
  if (update.event === 'test') return `${series.name}: this is a test`;
  const numbers = chapters.flatMap(({ number }) => number ?? []);
  const more = numbers.length > MAX_NUMBERS ? ', …' : '';
  const shown = numbers.slice(0, MAX_NUMBERS).join(', ') + more;
  const which = shown === '' ? '' : ` (${shown})`;
  if (update.event !== 'failed' && update.event !== 'taken-down')
    return `${series.name}: ${pluralize(chapters.length, 'new chapter')}${which}`;
  if (update.message !== undefined) return `${series.name} failed: ${update.message}`;
  const why = update.chapters[0]?.message;
  const count = `${pluralize(chapters.length, 'chapter')} ${DONE[update.event]}${which}`;
  return `${series.name}: ${count}${why === undefined ? '' : `: ${why}`}`;
}

/** The values of the fields in the texts of a webhook. */
export function hookFields(update: HookUpdate): ReadonlyMap<string, string> {
  const { series, chapters } = update;
  const numbers = chapters.flatMap(({ number }) => number ?? []).join(', ');
  return new Map([
    ['text', notificationText(update)],
    ['series', series.name],
    ['chapters', numbers],
    ['folder', series.folder],
  ]);
}

/** The folder as the media server names it: the longest prefix of whole path segments decides. */
export function mapPath(folder: string, pathMap: Readonly<Record<string, string>>): string {
  const withoutSlash = (path: string) => path.replace(/(?<=.)[/\\]+$/, '');
  const isPrefix = (prefix: string) =>
    folder === prefix || folder.startsWith(prefix === sep ? prefix : prefix + sep);
  const [best] = Object.entries(pathMap)
    .map(([from, to]) => [withoutSlash(from), withoutSlash(to)] as const)
    .filter(([from]) => isPrefix(from))
    .sort(([a], [b]) => b.length - a.length);
  if (!best) return folder;
  const [from, to] = best;
  const rest = folder.slice(from.length).split(sep).filter(Boolean).join('/');
  return rest === '' ? to : `${withoutSlash(to) === '/' ? '' : to}/${rest}`;
}
