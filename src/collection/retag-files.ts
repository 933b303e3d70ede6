/**
 * Brings the metadata of chapter files up to date: asks the service by the hundred, and rewrites ComicInfo.xml and the
 * names of the files whose metadata changed. Pages are not downloaded.
 */
import { opendir, rmdir } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { fetchChapters, type Chapter } from '../api/chapters.js';
import type { ServiceClient } from '../api/client.js';
import { fetchTitles, type Title } from '../api/titles.js';
import { comicInfoXml, type VolumeField } from '../cbz/comic-info.js';
import { readComicInfo, type ChapterMetadata } from '../cbz/comic-info-reader.js';
import type { FormatFileName } from '../cbz/file-name.js';
import { scanLibrary } from '../cbz/library-index.js';
import { systemClock } from '../core/clock.js';
import { UsageError, type TankobonError } from '../core/errors.js';
import {
  haveSameBytes,
  isSystemError,
  removeFile,
  renameInto,
  temporaryName,
  toStorageError,
} from '../core/files.js';
import { publishNew } from '../core/publish.js';
import { makeFolders } from '../core/safe-folders.js';
import { toTankobonError } from '../core/system-errors.js';
import { removeLeftovers } from '../download/leftovers.js';
import { comicMetadata, nameValues } from '../download/comic-metadata.js';
import { damagedChapter } from '../formats/source-chapter.js';
import { readChapterFile, rewriteChapterFile } from './chapter-file.js';

export interface RetagRequest {
  readonly folder: string;
  /** The templates that may have named the files. */
  readonly nameTemplates: readonly FormatFileName[];
  readonly volumeField: VolumeField;
  readonly dryRun: boolean;
}

export type RetagEvent =
  | {
      readonly type: 'chapter-retagged';
      readonly chapter: string;
      readonly file: string;
      /** The new path, if the name changed. */
      readonly newFile?: string;
      /** The names of the metadata that changed, such as `volume`. */
      readonly changed: readonly string[];
    }
  | {
      readonly type: 'chapter-failed';
      /** Undefined if the file cannot be read. */
      readonly chapter?: string;
      readonly file: string;
      readonly reason: TankobonError['code'];
      readonly message: string;
    }
  | {
      readonly type: 'retag-summary';
      readonly changed: number;
      readonly unchanged: number;
      /** Chapters that the service does not list any more. */
      readonly notListed: number;
      readonly failed: number;
    };

interface RetagDeps {
  readonly client: ServiceClient;
  readonly observe: (event: RetagEvent) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

interface ChapterOnDisk {
  readonly file: string;
  readonly chapter: Chapter;
  readonly title: Title;
}

/** Throws UsageError `nothing-to-bind` for a folder without chapters, and errors of the service. */
export async function retag(
  request: RetagRequest,
  deps: RetagDeps,
): Promise<readonly TankobonError[]> {
  const { client, observe, warn, signal } = deps;
  await assertReadable(request.folder);
  const library = await scanLibrary(request.folder, { signal });
  if (!request.dryRun) await removeLeftovers(library.leftoverFiles, systemClock);
  const archives = library.archives.filter(({ isBound }) => !isBound);
  if (archives.length === 0 && library.damaged.length === 0)
    throw nothingToRetag('No chapters found', request.folder);
  const errors: TankobonError[] = [];
  const fail = (file: string, thrown: unknown, chapter?: string): void => {
    const error = toTankobonError(toStorageError(thrown, file));
    const { code, message } = error;
    observe({
      type: 'chapter-failed',
      ...(chapter !== undefined && { chapter }),
      file,
      reason: code,
      message,
    });
    errors.push(error);
  };
  for (const { file, readError, cause } of library.damaged)
    fail(file, damagedChapter(file, cause ?? readError));
  const ids = archives.map(({ chapterId }) => chapterId);
  const chapters = await fetchChapters(client, ids, { signal, warn });
  const titleIds = [...chapters.values()].flatMap(({ titleId }) => titleId ?? []);
  const { titles } = await fetchTitles(client, titleIds, { signal, warn });
  const count = { changed: 0, unchanged: 0, notListed: 0 };
  for (const { file, chapterId } of archives) {
    signal.throwIfAborted();
    const chapter = chapters.get(chapterId);
    const title = titles.get(chapter?.titleId ?? '');
    // Without its title, a chapter would lose the series.
    if (!chapter || !title) {
      count.notListed += 1;
      continue;
    }
    try {
      const changed = await retagFile({ file, chapter, title }, request, deps);
      if (changed) observe(changed);
      count[changed ? 'changed' : 'unchanged'] += 1;
    } catch (thrown) {
      signal.throwIfAborted();
      fail(file, thrown, chapterId);
    }
  }
  observe({ type: 'retag-summary', ...count, failed: errors.length });
  return errors;
}

/** Without it, a folder that is missing or cannot be read would count as empty. */
async function assertReadable(folder: string): Promise<void> {
  try {
    await (await opendir(folder)).close();
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) throw error;
    if (error.code === 'ENOENT') throw nothingToRetag('Not found', folder, error);
    throw nothingToRetag(error.code === 'ENOTDIR' ? 'Not a folder' : 'Cannot read', folder, error);
  }
}

function nothingToRetag(problem: string, folder: string, cause?: unknown): UsageError {
  const hint = 'Name a folder with chapters that tankobon saved.';
  return new UsageError('nothing-to-bind', `${problem}: ${folder}`, { cause, hint });
}

/** Undefined if nothing changed, or if the file has no ComicInfo.xml. */
async function retagFile(
  onDisk: ChapterOnDisk,
  request: RetagRequest,
  { signal }: RetagDeps,
): Promise<RetagEvent | undefined> {
  const { file, chapter, title } = onDisk;
  const content = await readChapterFile(file);
  if (!content) return undefined;
  const metadata = comicMetadata(chapter, title, [], request.volumeField);
  const before = await readComicInfo(content.comicInfo);
  const after = await readComicInfo(await comicInfoXml(metadata));
  const changed = changedFields(before, after);
  if (changed.length === 0) return undefined;
  const target = renamedPath(onDisk, before, request.nameTemplates);
  let newFile = target;
  if (!request.dryRun) {
    makeFolders(dirname(target));
    newFile = await rewriteChapterFile(file, content, metadata, {
      tmpFile: temporaryName(target),
      publish: (tmpFile) => replace(tmpFile, file, target),
      signal,
    });
  }
  const event = { type: 'chapter-retagged' as const, chapter: chapter.id, file, changed };
  return newFile === file ? event : { ...event, newFile };
}

function changedFields(before: ChapterMetadata, after: ChapterMetadata): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => {
      const key = name as keyof ChapterMetadata;
      return JSON.stringify(before[key]) !== JSON.stringify(after[key]);
    })
    .sort();
}

/** The new path. A file that was renamed by hand keeps its name: only one that a template gave is changed. */
function renamedPath(
  { file, chapter, title }: ChapterOnDisk,
  before: ChapterMetadata,
  templates: readonly FormatFileName[],
): string {
  const { series, volume, number, title: name, translators = [] } = before;
  const oldValues = {
    id: chapter.id,
    series,
    volume,
    chapter: number,
    title: name,
    group: translators.join(' + '),
    language: chapter.language,
  };
  const path = resolve(file).split(sep).join('/');
  for (const format of templates) {
    const oldName = format(oldValues);
    if (path.endsWith(`/${oldName}`))
      return join(path.slice(0, -oldName.length), format(nameValues(chapter, title)));
  }
  return file;
}

/**
 * The old file is removed when the new one is complete. An existing file is not replaced, unless it has the same
 * bytes, as after a kill between the two steps.
 */
async function replace(tmpFile: string, file: string, newFile: string): Promise<string> {
  if (
    resolve(file) !== resolve(newFile) &&
    ((await publishNew(tmpFile, newFile)) || (await haveSameBytes(tmpFile, newFile)))
  ) {
    await removeFile(file);
    // Fails if it is not empty.
    await rmdir(dirname(file)).catch(() => undefined);
    return newFile;
  }
  await renameInto(tmpFile, file);
  return file;
}
