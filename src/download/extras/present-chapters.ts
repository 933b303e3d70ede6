/**
 * Chapters whose files tankobon saved before the run. What belongs to them may be missing all the same: a run that was
 * killed saves no covers, and the options may be new.
 */
import { dirname, resolve } from 'node:path';
import type { Chapter } from '../../service/chapters.js';
import type { Title } from '../../service/titles.js';
import { readFileChapters } from '../../library/file.js';
import { mayBeRewritten } from '../../library/ownership.js';
import type { Options } from '../../config/options.js';
import type { LibraryIndex } from '../../library/scan.js';
import { groupBy } from '../../core/group-by.js';
import { findTitle } from '../planning/comic-metadata.js';
import { groupByFolder, needsCovers, type ChapterInFolder, type TitleFolder } from './cover.js';
import { needsSeriesMetadata } from './series-metadata.js';

export interface PresentChapter extends ChapterInFolder {
  readonly chapter: Chapter;
  readonly isInBook: boolean;
  /** It has no file of its own: `file` is the book. */
  readonly isOnlyInBook: boolean;
}

/** The chapters whose files tankobon wrote; files behind links do not count. */
export function findPresent(
  chapters: readonly Chapter[],
  library: LibraryIndex,
  loadedTitles: Promise<{ readonly titles: ReadonlyMap<string, Title> }>,
): readonly PresentChapter[] {
  return chapters.flatMap((chapter) => {
    const archive = library.find(chapter.id);
    if (!archive || !mayBeRewritten(archive.ownership)) return [];
    const title = loadedTitles.then(({ titles }) => findTitle(titles, chapter));
    const isInBook = library.copiesOf(chapter.id).some(({ isBound }) => isBound);
    const isOnlyInBook = archive.isBound;
    return { chapter, file: archive.file, isInBook, isOnlyInBook, title };
  });
}

/**
 * Those in folders that get covers: no request is sent for the others. Files that only a book has are left out: it may be
 * in a folder of several titles.
 */
export async function withoutCovers(
  present: readonly PresentChapter[],
  options: Pick<Options, 'cover' | 'chapterFiles'>,
): Promise<readonly ChapterInFolder[]> {
  return inFolders(present, (folder) => needsCovers(folder, options));
}

/** The chapters in folders of one title that get `series.json` and `details.json`, with the title's name there. */
export async function withoutSeriesMetadata(
  present: readonly PresentChapter[],
  options: Pick<Options, 'output' | 'chapterFiles'>,
): Promise<readonly ChapterInFolder[]> {
  const lacking = await inFolders(
    present,
    async ({ folder, isShared }) =>
      !isShared &&
      resolve(folder) !== resolve(options.output) &&
      needsSeriesMetadata(folder, options),
  );
  const named: ChapterInFolder[] = [];
  for (const chapters of groupBy(lacking, ({ file }) => dirname(file)).values()) {
    const name = await seriesIn(chapters[0]?.file ?? '');
    const withName = (title: Title | undefined) => title && { ...title, name: name ?? title.name };
    for (const each of chapters) named.push({ ...each, title: each.title.then(withName) });
  }
  return named;
}

async function inFolders(
  present: readonly PresentChapter[],
  isLacking: (folder: TitleFolder) => Promise<boolean>,
): Promise<readonly ChapterInFolder[]> {
  const inFiles = present.filter(({ isOnlyInBook }) => !isOnlyInBook);
  const lacking = new Set<string>();
  for (const each of await groupByFolder(inFiles))
    if (await isLacking(each)) lacking.add(each.folder);
  return inFiles.filter(({ file }) => lacking.has(dirname(file)));
}

async function seriesIn(file: string): Promise<string | undefined> {
  return (await readFileChapters(file))[0]?.metadata.series;
}
