/**
 * What MangaDex says of a title changes without a new chapter: it ends, or is rated again. Files that tankobon wrote follow:
 * series.json and details.json in all, chapter files in the age rating and the reading direction, by which readers hide and
 * turn pages. A file is written anew as a whole, so a description alone is brought into that of the first chapter only,
 * from which Kavita takes the one of the series. What the owner edited stays.
 */
import { dirname } from 'node:path';
import { readFileState, replaceAs } from '../core/file-state.js';
import { groupBy } from '../core/group-by.js';
import { temporaryName } from '../core/files.js';
import { comicMetadata, writtenMetadata, type ChapterMetadata } from '../library/comic-info.js';
import { readFileChapters, type FoundChapter } from '../library/file.js';
import { mayBeRewritten } from '../library/ownership.js';
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { mergedComicInfo, readChapterFile, rewriteChapterFile } from '../library/chapter-file.js';
import { followSeriesMetadata } from '../download/extras.js';

type TitleField = 'ageRating' | 'direction' | 'summary';
/** A change of one of these is worth a new file. */
const URGENT = ['ageRating', 'direction'] as const satisfies readonly TitleField[];

interface FileOfTitle {
  readonly archive: FoundChapter;
  /** What tankobon wrote; undefined for a book, and for a file without a record. */
  readonly written: ChapterMetadata | undefined;
  /** The service's codes. */
  readonly languages: readonly string[];
}

export interface FollowListeners {
  /** `changed`: the names of the metadata; none for series.json and details.json. */
  readonly onWritten: (file: string, changed: readonly string[]) => void;
  readonly onFailed: (file: string, error: unknown) => void;
}

/** What the files have of the title, as text: while it stays the same, they need not be read. */
export function followedText(title: Title): string {
  const { description, originalLanguage, status, volumeCount, year, contentRating } = title;
  const { genres, demographic, tags, authors, artists } = title;
  return JSON.stringify([
    [description, originalLanguage, status, volumeCount, year, contentRating],
    [genres, demographic, tags, authors, artists],
  ]);
}

/** Rejects with the signal's reason when aborted. A file that fails does not affect the others. */
export async function followTitle(
  archives: readonly FoundChapter[],
  title: Title,
  { hasVolumeBooks }: { readonly hasVolumeBooks: boolean },
  { onWritten, onFailed }: FollowListeners,
  signal: AbortSignal,
): Promise<void> {
  const attempt = async (file: string, write: () => Promise<readonly string[] | undefined>) => {
    signal.throwIfAborted();
    try {
      const changed = await write();
      if (changed) onWritten(file, changed);
    } catch (error) {
      signal.throwIfAborted();
      onFailed(file, error);
    }
  };
  const files: FileOfTitle[] = [];
  const own = archives.filter(({ ownership }) => mayBeRewritten(ownership));
  for (const archive of new Map(own.map((each) => [each.file, each])).values()) {
    signal.throwIfAborted();
    files.push(await readFile(archive));
  }
  for (const [folder, ofFolder] of groupBy(files, ({ archive }) => dirname(archive.file))) {
    const languages = [...new Set(ofFolder.flatMap((each) => each.languages))];
    const series = { title, languages, hasVolumeBooks };
    await followSeriesMetadata(folder, series).then(
      (written) => {
        for (const file of written) onWritten(file, []);
      },
      (error: unknown) => {
        onFailed(folder, error);
      },
    );
  }
  const first = firstOf(files);
  for (const each of files)
    await attempt(each.archive.file, () => rewrite(each, title, each === first, signal));
}

async function readFile(archive: FoundChapter): Promise<FileOfTitle> {
  const chapters = await readFileChapters(archive.file).catch(() => []);
  const written = archive.isBound ? undefined : chapters[0]?.written;
  const languages = chapters.flatMap(({ metadata }) => metadata.language?.toLowerCase() ?? []);
  return { archive, written, languages };
}

/** The file of the chapter with the lowest number. */
function firstOf(files: readonly FileOfTitle[]): FileOfTitle | undefined {
  const numbered = files.filter(({ written }) => written?.number !== undefined);
  return numbered.reduce<FileOfTitle | undefined>(
    (best, each) => (!best || numberOf(each) < numberOf(best) ? each : best),
    undefined,
  );
}

const numberOf = ({ written }: FileOfTitle): number => Number(written?.number);

/** Resolves with the names of the metadata that changed; undefined if the file stays as it is. */
async function rewrite(
  { archive: { file }, written, languages: [language = 'en'] }: FileOfTitle,
  title: Title,
  isFirst: boolean,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (!written) return undefined;
  const ofTitle = fieldsOf(title, language);
  const differs = (field: TitleField) => written[field] !== ofTitle[field];
  if (!URGENT.some(differs) && !(isFirst && differs('summary'))) return undefined;
  const { originalLanguage } = title;
  const metadata = { ...written, ...ofTitle, originalLanguage };
  const state = await readFileState(file);
  const content = await readChapterFile(file);
  const options = { force: false, hasSamePages: true };
  const merged = await mergedComicInfo([content], { ...metadata, pages: [] }, options);
  if (!state || !merged || merged.changed.length === 0) return undefined;
  await rewriteChapterFile(file, content, {
    metadata,
    inferredVolume: content.record?.inferredVolume,
    recorded: undefined,
    force: false,
    revision: undefined,
    tmpFile: temporaryName(file),
    publish: (tmpFile) => replaceAs(tmpFile, [file], { file, state }),
    signal,
  });
  return merged.changed;
}

/** What a chapter file has of its title and is followed. */
function fieldsOf(title: Title, language: string): Pick<ChapterMetadata, TitleField> {
  const chapter: Chapter = { ...NO_CHAPTER, language };
  const { ageRating, direction, summary } = writtenMetadata(comicMetadata(chapter, title, []));
  return { ageRating, direction, summary };
}

const NO_CHAPTER = {
  id: '',
  number: undefined,
  volume: undefined,
  title: undefined,
  pages: 0,
  externalUrl: undefined,
  isUnavailable: false,
  version: 1,
  publishAt: undefined,
  readableAt: undefined,
  createdAt: undefined,
  groups: [],
  titleId: undefined,
  partialTitle: undefined,
} as const;
