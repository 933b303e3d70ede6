/**
 * What MangaDex says of a title changes without a new chapter: it ends, or is rated again. With `upgrade`, files that
 * tankobon wrote follow what each run receives with the last uploads: series.json and details.json in all, chapter files in
 * the age rating and the reading direction, by which readers hide and turn pages. A file is written anew as a whole, so a
 * description alone is brought into that of the first chapter only, from which Kavita takes the one of the series. What the
 * owner edited stays.
 */
import { dirname } from 'node:path';
import { thrownMessage } from '../core/errors.js';
import { readFileState, replaceAs } from '../core/file-state.js';
import { groupBy } from '../core/group-by.js';
import { temporaryName } from '../core/files.js';
import { sha256Of } from '../core/sha256.js';
import { emptyResult } from '../download/download-result.js';
import { followSeriesMetadata } from '../download/extras.js';
import { mergedComicInfo, readChapterFile, rewriteChapterFile } from '../library/chapter-file.js';
import { comicMetadata, writtenMetadata, type ChapterMetadata } from '../library/comic-info.js';
import { readFileChapters, type FoundChapter } from '../library/file.js';
import { mayBeRewritten } from '../library/ownership.js';
import type { Title } from '../service/titles.js';
import { withScan } from './changed-files.js';
import { releaseRules, seriesRequest } from './sync-request.js';
import type { DueTitle, SyncSession } from './sync-session.js';

/** Titles that were not read in this run are compared only if their files are known to be as the service was before. */
export function hasOldDescription(
  { id, title, options }: Omit<DueTitle, 'label' | 'readIds'>,
  isRead: boolean,
  { journal, context }: SyncSession,
): boolean {
  const { upgrade } = releaseRules(options, context.settings, undefined);
  const known = journal.state.described.get(id);
  return upgrade && (known === undefined ? isRead : known !== digestOf(title));
}

/** Without a failure, the next run has nothing to do. Rejects when the user stops the run. */
export async function describeTitle(due: DueTitle, session: SyncSession): Promise<undefined> {
  const { id, title, label, output } = due;
  const { libraries, journal, listeners, warn } = session;
  const archives = (await libraries.open(output)).ofTitle(id);
  const written = new Map<string, readonly string[]>();
  const failed: string[] = [];
  await withScan(due, session, async (onChanged) => {
    const onWritten = (file: string, changed: readonly string[]): void => {
      written.set(file, changed);
      onChanged(file);
    };
    const onFailed = (file: string, error: unknown): void => {
      failed.push(file);
      warn(`The metadata of the title stay as they are in ${file}: ${thrownMessage(error)}`);
    };
    await followTitle(archives, due, { onWritten, onFailed }, session);
  }).finally(() => {
    const result = emptyResult();
    for (const { chapterId, file } of archives)
      if (written.has(file)) result.retaggedFiles.set(chapterId, file);
    libraries.update(output, id, result);
  });
  if (failed.length === 0) journal.add({ described: id, digest: digestOf(title) });
  const changed = [...new Set([...written.values()].flat())].sort();
  const files = written.size;
  if (files > 0)
    listeners.observe({ type: 'title-changed', title: id, name: label, changed, files });
}

/** What the files have of the title: while it stays the same, they need not be read. */
function digestOf(title: Title): string {
  const { description, originalLanguage, status, volumeCount, year, contentRating } = title;
  const { genres, demographic, tags, authors, artists } = title;
  const text = JSON.stringify([
    [description, originalLanguage, status, volumeCount, year, contentRating],
    [genres, demographic, tags, authors, artists],
  ]);
  return sha256Of(text, 'base64url').slice(0, 16);
}

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

interface FollowListeners {
  /** `changed`: the names of the metadata; none for series.json and details.json. */
  readonly onWritten: (file: string, changed: readonly string[]) => void;
  readonly onFailed: (file: string, error: unknown) => void;
}

/** Rejects with the signal's reason when aborted. A file that fails does not affect the others. */
async function followTitle(
  archives: readonly FoundChapter[],
  { title, options }: DueTitle,
  { onWritten, onFailed }: FollowListeners,
  session: SyncSession,
): Promise<void> {
  const { context, userSignal: signal } = session;
  const { hasVolumeBooks } = seriesRequest(options, session.options, context.settings);
  const files: FileOfTitle[] = [];
  const own = archives.filter(({ ownership }) => mayBeRewritten(ownership));
  for (const archive of new Map(own.map((each) => [each.file, each])).values()) {
    signal.throwIfAborted();
    files.push(await readFile(archive));
  }
  for (const [folder, ofFolder] of groupBy(files, ({ archive }) => dirname(archive.file))) {
    const languages = [...new Set(ofFolder.flatMap((each) => each.languages))];
    try {
      const series = { title, languages, hasVolumeBooks };
      for (const file of await followSeriesMetadata(folder, series)) onWritten(file, []);
    } catch (error) {
      onFailed(folder, error);
    }
  }
  const first = firstOf(files);
  for (const each of files) {
    const { file } = each.archive;
    signal.throwIfAborted();
    try {
      const changed = await rewrite(each, title, each === first, signal);
      if (changed) onWritten(file, changed);
    } catch (error) {
      signal.throwIfAborted();
      onFailed(file, error);
    }
  }
}

async function readFile(archive: FoundChapter): Promise<FileOfTitle> {
  const chapters = await readFileChapters(archive.file);
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
  const chapter = { id: '', language, groups: [] };
  const { ageRating, direction, summary } = writtenMetadata(comicMetadata(chapter, title, []));
  return { ageRating, direction, summary };
}
