/** What the hooks for servers send about a series with new chapters. */
import { sep } from 'node:path';
import type { SeriesUpdate } from '../download/series-updates.js';

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
