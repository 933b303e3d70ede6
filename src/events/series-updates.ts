/** What programs and hooks receive about the saved chapters of a run: one update for each series. */
import { dirname, sep } from 'node:path';
import { groupBy } from '../core/group-by.js';

interface SavedChapterInfo {
  readonly id: string;
  readonly number?: string | undefined;
  readonly volume?: string | undefined;
  readonly title?: string | undefined;
  readonly language: string;
  readonly groups: readonly string[];
  readonly file: string;
  /** The id of the release that it replaced. */
  readonly replaces?: string | undefined;
}

export interface SavedChapterUpdate {
  readonly titleId: string;
  /** The name of the title. */
  readonly series: string;
  readonly chapter: SavedChapterInfo;
}

interface SavedRelease extends Pick<SavedChapterInfo, 'id' | 'number' | 'volume' | 'title'> {
  readonly language?: string;
  readonly groups?: readonly { readonly name: string }[];
}

/** `chapter`: no more than the id is known of one that was saved without metadata. */
export function savedUpdate(
  titleId: string,
  series: string,
  chapter: SavedRelease,
  file: string,
  replaces?: string,
): SavedChapterUpdate {
  const { id, number, volume, title, language = 'und', groups = [] } = chapter;
  const names = groups.map(({ name }) => name);
  const info = { id, number, volume, title, language, groups: names, file, replaces };
  return { titleId, series, chapter: info };
}

/** The JSON on the standard input of `exec`, and of the webhook. A contract (docs/sync.md): fields are only added. */
export interface SeriesUpdate {
  /** `test`: of `sync hook test`, without chapters. */
  readonly event: 'series-updated' | 'test';
  readonly series: { readonly id: string; readonly name: string; readonly folder: string };
  readonly chapters: readonly SavedChapterInfo[];
}

/** One for each series, in the order of its first chapter. */
export function seriesUpdates(updates: readonly SavedChapterUpdate[]): SeriesUpdate[] {
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
function byNumber(a: SavedChapterInfo, b: SavedChapterInfo): number {
  return (a.number ?? '').localeCompare(b.number ?? '', 'en', { numeric: true });
}

/** The folder that contains all of the files. */
export function commonFolder(files: readonly string[]): string {
  const [first = [], ...others] = files.map((file) => dirname(file).split(sep));
  const end = first.findIndex((part, index) => others.some((folder) => folder[index] !== part));
  const common = (end === -1 ? first : first.slice(0, end)).join(sep);
  return common === '' ? sep : common;
}
