/** The data that hooks receive about a series with new chapters. */
import { dirname, sep } from 'node:path';
import { groupBy } from '../core/group-by.js';
import type { ChapterUpdate } from './sync-lines.js';

/** The JSON on the standard input of `exec`, and of the webhook. A contract (docs/sync.md): fields are only added. */
export interface SeriesUpdate {
  /** `test`: of `sync hook test`, without chapters. */
  readonly event: 'series-updated' | 'test';
  readonly series: { readonly id: string; readonly name: string; readonly folder: string };
  readonly chapters: readonly ChapterUpdate['chapter'][];
}

/** One for each series, in the order of its first chapter. */
export function seriesUpdates(updates: readonly ChapterUpdate[]): SeriesUpdate[] {
  return [...groupBy(updates, ({ titleId }) => titleId)].map(([id, all]) => ({
    event: 'series-updated',
    series: {
      id,
      name: all[0]?.series ?? '',
      folder: commonFolder(all.map(({ chapter }) => chapter.file)),
    },
    chapters: all.map(({ chapter }) => chapter).sort(byNumber),
  }));
}

/** They are saved in parallel, in no particular order. */
function byNumber(a: ChapterUpdate['chapter'], b: ChapterUpdate['chapter']): number {
  return (a.number ?? '').localeCompare(b.number ?? '', 'en', { numeric: true });
}

/** The folder that contains all of the files. */
export function commonFolder(files: readonly string[]): string {
  const [first = [], ...others] = files.map((file) => dirname(file).split(sep));
  const end = first.findIndex((part, index) => others.some((folder) => folder[index] !== part));
  const common = (end === -1 ? first : first.slice(0, end)).join(sep);
  return common === '' ? sep : common;
}

const MAX_NUMBERS = 10;

/** One line for a notification, such as `The Lighthouse: 2 new chapters (3, 4)`. */
export function notificationText({ event, series, chapters }: SeriesUpdate): string {
  if (event === 'test') return `${series.name}: this is a test`;
  const numbers = chapters.flatMap(({ number }) => number ?? []);
  const shown = numbers.slice(0, MAX_NUMBERS).join(', ');
  const more = numbers.length > MAX_NUMBERS ? ', …' : '';
  const count = chapters.length === 1 ? '1 new chapter' : `${chapters.length} new chapters`;
  return `${series.name}: ${count}${shown === '' ? '' : ` (${shown}${more})`}`;
}

/** The values of the fields in the texts of a webhook. */
export function hookFields(update: SeriesUpdate): ReadonlyMap<string, string> {
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
