/**
 * Covers, `series.json` and `details.json`: whether folders of titles lack them, and how they follow their title, also
 * into another folder. Covers have no mark of tankobon, so one is moved only if the service has the same image as a cover
 * of the title; any other one is the owner's and stays, with a copy for later books. The other two are moved if tankobon
 * wrote them for this title. The image of a book goes with it.
 */
import { basename, dirname, extname, join } from 'node:path';
import { readdirIfReadable } from '../core/read-folder.js';
import { isUnchanged, moveUnchanged, readFileState } from '../core/file-state.js';
import { isFatal, TankobonError } from '../core/errors.js';
import {
  copyRegularFile,
  isOwnFile,
  lstatIfExists,
  makeFolders,
  makeSyncedFolders,
  removeFile,
  temporaryName,
} from '../core/files.js';
import { PRIVATE_FOLDER_MODE } from '../core/own-folder.js';
import { publishNew } from '../core/publish.js';
import { isSameName } from '../core/relative-paths.js';
import { inFolderOf } from '../core/same-file.js';
import type { Options } from '../config/options.js';
import type { LibraryIndex } from '../library/scan.js';
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { lacksChapterlessExtras, type ChapterlessTitle } from './extras/chapterless-titles.js';
import { COVER_NAME, ServedCovers, type CoverDeps } from './extras/cover.js';
import { findPresent, withoutCovers, withoutSeriesMetadata } from './extras/present-chapters.js';
import { openSavedCovers } from './extras/saved-covers.js';
import {
  FILE_NAMES,
  followFile,
  isOwnSeriesMetadata,
  isSeriesMetadata,
  renameInSeriesMetadata,
} from './extras/series-metadata.js';

const IMAGE_NAME = /\.(?:jpe?g|png|gif|webp|avif)$/i;

/** Whether a folder of these chapters lacks what the options ask for, or that of a title without chapters. */
export async function lacksExtras(
  chapters: readonly Chapter[],
  library: LibraryIndex,
  titles: ReadonlyMap<string, Title>,
  options: Pick<Options, 'cover' | 'seriesMetadata' | 'output' | 'chapterFiles'>,
  chapterless: () => Promise<readonly ChapterlessTitle[]>,
): Promise<boolean> {
  const { cover, seriesMetadata } = options;
  if (!cover && !seriesMetadata) return false;
  const present = findPresent(chapters, library, Promise.resolve({ titles }));
  if (cover && (await withoutCovers(present, options)).length > 0) return true;
  if (seriesMetadata && (await withoutSeriesMetadata(present, options)).length > 0) return true;
  return lacksChapterlessExtras(await chapterless(), options);
}

/** Brings `series.json` and `details.json` of a folder up to date. Resolves with those that were, or would be, written. */
export async function followSeriesMetadata(
  folder: string,
  series: Parameters<typeof followFile>[1],
  { dryRun = false } = {},
): Promise<readonly string[]> {
  const written: string[] = [];
  for (const name of FILE_NAMES) {
    const file = join(folder, name);
    if (await followFile(file, series, dryRun)) written.push(file);
  }
  return written;
}

/** A folder that files of a title leave. */
interface LeftFolder {
  readonly folder: string;
  readonly newFolder: string;
  /** A folder above both. */
  readonly root: string;
  /** The title of all files in the folder; undefined if they are of several, or if some of them go elsewhere. */
  readonly title: Title | undefined;
}

interface ExtraDeps extends CoverDeps {
  /** Has the record of the covers that tankobon saved. */
  readonly stateFolder: string;
  /** Nothing is written: what would be moved is reported. */
  readonly dryRun: boolean;
}

interface ExtraListeners {
  readonly onMoved: (file: string, newFile: string) => void;
  readonly warn: (message: string) => void;
}

/** Throws errors of the file system, those that stop any run, and the signal's reason when aborted. */
export async function moveExtras(
  { folder, newFolder, root, title }: LeftFolder,
  deps: ExtraDeps,
  { onMoved, warn }: ExtraListeners,
): Promise<void> {
  const entries = await readdirIfReadable(folder);
  const names = entries
    .filter((it) => it.isFile() && (COVER_NAME.test(it.name) || isSeriesMetadata(it.name)))
    .map(({ name }) => name);
  if (names.length === 0) return;
  // A dry run writes nothing into the output folder.
  const tmpFolder = deps.dryRun ? deps.stateFolder : folder;
  if (deps.dryRun) makeFolders(tmpFolder, PRIVATE_FOLDER_MODE);
  else await makeSyncedFolders(root, newFolder);
  const served = title && new ServedCovers(title, tmpFolder, deps);
  for (const name of names.sort()) {
    deps.signal.throwIfAborted();
    const [file, newFile] = [join(folder, name), join(newFolder, name)];
    const state = await readFileState(file);
    const isOwn = isSeriesMetadata(name)
      ? title && (await isOwnSeriesMetadata(file, title.id))
      : await served?.has(file).catch((error: unknown) => {
          if (!(error instanceof TankobonError) || isFatal(error)) throw error;
          return false;
        });
    const isOfUser = state !== undefined && isOwnFile(file, state);
    if (deps.dryRun) {
      if (isOwn && isOfUser && !(await lstatIfExists(newFile))) onMoved(file, newFile);
    } else if (isOwn && isOfUser && (await isUnchanged(file, state))) {
      if (!(await moveUnchanged(newFile, { file, state }))) continue;
      onMoved(file, newFile);
      if (!isSeriesMetadata(name)) await moveRecord(file, newFile, deps.stateFolder);
      else if (title) await renameInSeriesMetadata(await inFolderOf(file, newFile), title);
    } else if (!isSeriesMetadata(name) && (await copyNew(file, newFile)) && title)
      warn(`Copied to ${dirname(newFile)}, since MangaDex does not have the same image: ${file}`);
  }
}

/**
 * Moves the image that has the name of the book, where Komga looks for its cover, also one of the owner. One that has the
 * new name already stays. Throws errors of the file system, and StorageError.
 */
export async function moveBookCover(
  book: string,
  newBook: string,
  { stateFolder, dryRun }: Pick<ExtraDeps, 'stateFolder' | 'dryRun'>,
  onMoved: ExtraListeners['onMoved'],
): Promise<void> {
  const folder = dirname(book);
  const images = (await readdirIfReadable(folder)).filter(
    (it) => it.isFile() && IMAGE_NAME.test(it.name) && isSameName(stemOf(it.name), stemOf(book)),
  );
  for (const { name } of images) {
    const file = join(folder, name);
    const newFile = join(dirname(newBook), `${stemOf(newBook)}${extname(name)}`);
    const state = await readFileState(file);
    if (!state || !isOwnFile(file, state)) continue;
    const isMoved = dryRun
      ? !(await lstatIfExists(newFile))
      : await moveUnchanged(newFile, { file, state });
    if (!isMoved) continue;
    onMoved(file, newFile);
    if (!dryRun) await moveRecord(file, newFile, stateFolder);
  }
}

/** Without it, the image would count as the owner's at its new path, and would not be refreshed. */
async function moveRecord(file: string, newFile: string, stateFolder: string): Promise<void> {
  const savedCovers = openSavedCovers(stateFolder);
  const saved = savedCovers.get(file);
  if (saved) savedCovers.set(newFile, saved);
  await savedCovers.save();
}

function stemOf(file: string): string {
  return basename(file, extname(file));
}

/** Does not replace a file: false if there is one. */
async function copyNew(file: string, target: string): Promise<boolean> {
  const tmpFile = temporaryName(target);
  await copyRegularFile(file, tmpFile);
  if (await publishNew(tmpFile, target)) return true;
  await removeFile(tmpFile);
  return false;
}
