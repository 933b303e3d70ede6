/**
 * Titles without chapters in the output folder: those that have none to download yet, and with `--no-chapters` each.
 * Their covers and series files go where their first chapter will go.
 */
import { dirname, join, resolve } from 'node:path';
import type { Chapter } from '../../service/chapters.js';
import type { Title } from '../../service/titles.js';
import type { LibraryIndex } from '../../library/scan.js';
import { unavailableReason } from '../../selection/exclusions.js';
import type { Resolution } from '../../selection/resolve-targets.js';
import { needsCovers, type TitleFolder } from './cover.js';
import type { DownloadRequest } from '../download-request.js';
import { extrasOwner } from './extras-owner.js';
import type { NamedChapter } from '../planning/comic-metadata.js';
import { templateName, withHome, type Naming } from '../planning/name-files.js';
import { needsSeriesMetadata } from './series-metadata.js';

export interface ChapterlessTitle {
  readonly name: string;
  /** Absolute, as is the output folder above it. */
  readonly folder: string;
  readonly root: string;
  /** In order of preference, for covers and the description. */
  readonly languages: readonly string[];
  /** Undefined if nothing is known of it. Never rejects. */
  readonly title: Promise<Title | undefined>;
}

/** Whether the service has no chapter of the title that can be downloaded. */
function hasNoChapters(chapters: readonly Chapter[], nowMs: number): boolean {
  return chapters.every((chapter) => unavailableReason(chapter, nowMs) !== undefined);
}

/** The titles whose extras have no chapter to be saved beside. Pure. */
export function findChapterless(
  {
    series,
    titles,
  }: { readonly series: Resolution['series'] } & { readonly titles: ReadonlyMap<string, Title> },
  presentTitleIds: ReadonlySet<string>,
  library: LibraryIndex,
  request: Pick<DownloadRequest, 'cover' | 'seriesMetadata' | 'metadata' | 'chapterFiles'>,
  nowMs: number,
): readonly Title[] {
  const { cover, seriesMetadata, metadata, chapterFiles = true } = request;
  if (!metadata || !(cover || seriesMetadata)) return [];
  const isChapterless = ({ titleId, chapters, isPartial = false }: Resolution['series'][number]) =>
    chapterFiles
      ? !isPartial && hasNoChapters(chapters, nowMs) && library.ofTitle(titleId).length === 0
      : !presentTitleIds.has(titleId);
  return series.filter(isChapterless).flatMap(({ titleId }) => titles.get(titleId) ?? []);
}

/** In place of a chapter, for the folder that a first one would get. */
export function standIn({ id }: Pick<Title, 'id'>, languages: readonly string[]): NamedChapter {
  const [language = ''] = languages.length === 1 ? languages : [];
  return { id: '', titleId: id, language, groups: [] };
}

/** Where they go. Titles whose folder is not theirs alone are left out, with a warning. */
export async function placeChapterless(
  chapterless: readonly Title[],
  naming: Naming,
  {
    languages,
    loadedTitles,
    stateFolder,
    warn,
  }: {
    readonly languages: readonly string[];
    readonly loadedTitles: Promise<{ readonly titles: ReadonlyMap<string, Title> }>;
    readonly stateFolder: string;
    readonly warn: (message: string) => void;
  },
): Promise<readonly ChapterlessTitle[]> {
  const placed: ChapterlessTitle[] = [];
  const root = resolve(naming.output);
  for (const title of chapterless) {
    const { id } = title;
    const chapter = standIn(title, languages);
    const { path } = templateName({ id, chapter }, naming);
    const folder = dirname(join(root, path));
    const name = withHome(title, chapter, naming)?.name ?? title.name;
    if (await isTitleFolder(folder, id, naming, stateFolder))
      placed.push({
        name,
        folder,
        root,
        languages,
        title: loadedTitles.then(({ titles }) => ({ ...(titles.get(id) ?? title), name })),
      });
    else
      warn(
        `No cover and no metadata of ${name} is saved, since the folder is not that of one title: ${folder}`,
      );
  }
  return placed;
}

async function isTitleFolder(
  folder: string,
  titleId: string,
  { output, library }: Naming,
  stateFolder: string,
): Promise<boolean> {
  if (folder === resolve(output)) return false;
  const isOther = (owner: string | undefined) => owner !== undefined && owner !== titleId;
  if (library.inFolder(folder).some((archive) => isOther(archive.titleId))) return false;
  return !isOther(await extrasOwner(folder, stateFolder));
}

/** Undefined if nothing is known of the title. */
async function toFolder(chapterless: ChapterlessTitle): Promise<TitleFolder | undefined> {
  const { folder, root, languages } = chapterless;
  const title = await chapterless.title;
  const chapters = languages.map((language) => ({ volume: undefined, language }));
  return title && { folder, root, title, chapters, isShared: false };
}

/** The folders that get covers. */
export async function foldersForCovers(
  chapterless: readonly ChapterlessTitle[],
  request: Pick<DownloadRequest, 'cover' | 'chapterFiles'>,
): Promise<readonly TitleFolder[]> {
  return foldersWhere(chapterless, (each) => needsCovers(each, request));
}

/** The folders that get metadata of the series. */
export async function foldersForMetadata(
  chapterless: readonly ChapterlessTitle[],
  request: Pick<DownloadRequest, 'chapterFiles'>,
): Promise<readonly TitleFolder[]> {
  return foldersWhere(chapterless, ({ folder }) => needsSeriesMetadata(folder, request));
}

/** Whether a run that saves no chapter has something to save for them. */
export async function lacksChapterlessExtras(
  chapterless: readonly ChapterlessTitle[],
  request: Pick<DownloadRequest, 'cover' | 'seriesMetadata' | 'chapterFiles'>,
): Promise<boolean> {
  const { cover, seriesMetadata } = request;
  if (cover && (await foldersForCovers(chapterless, request)).length > 0) return true;
  return seriesMetadata && (await foldersForMetadata(chapterless, request)).length > 0;
}

async function foldersWhere(
  chapterless: readonly ChapterlessTitle[],
  isWanted: (folder: TitleFolder) => Promise<boolean>,
): Promise<readonly TitleFolder[]> {
  const folders: TitleFolder[] = [];
  for (const each of chapterless) {
    const folder = await toFolder(each);
    if (folder && (await isWanted(folder))) folders.push(folder);
  }
  return folders;
}
