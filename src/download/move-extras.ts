/**
 * Covers, `series.json` and `details.json` in the folders of renamed titles. Covers have no mark of tankobon, so one is
 * moved only if the service has the same image as a cover of the title; any other one is the owner's and stays, with a
 * copy for later books. The other two are moved if tankobon wrote them for this title. The image of a book goes with it.
 */
import { basename, dirname, extname, join } from 'node:path';
import { readdirIfReadable } from '../core/read-folder.js';
import { isUnchanged, moveUnchanged, readFileState } from '../core/file-state.js';
import { TankobonError } from '../core/errors.js';
import { EXIT } from '../core/exit-codes.js';
import {
  copyRegularFile,
  isOwnFile,
  makeSyncedFolders,
  removeFile,
  temporaryName,
} from '../core/files.js';
import { publishNew } from '../core/publish.js';
import type { Title } from '../service/titles.js';
import { COVER_NAME, ServedCovers, type CoverDeps } from './extras/cover.js';
import { SavedCovers } from './extras/saved-covers.js';
import {
  isOwnSeriesMetadata,
  isSeriesMetadata,
  renameInSeriesMetadata,
} from './series-metadata.js';

/** More names of files are not listed. */
const MAX_NAMES = 10;
const IMAGE_NAME = /\.(?:jpe?g|png|gif|webp|avif)$/i;

/** A folder that files of a title leave. */
interface LeftFolder {
  readonly folder: string;
  readonly newFolder: string;
  /** A folder above both. */
  readonly root: string;
  /** The title of all files in the folder; undefined if they are of several, or if some of them go elsewhere. */
  readonly title: Title | undefined;
}

export interface ExtraDeps extends CoverDeps {
  /** Has the record of the covers that tankobon saved. */
  readonly stateFolder: string;
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
  await makeSyncedFolders(root, newFolder);
  const served = title && new ServedCovers(title, deps);
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
    if (isOwn && isOfUser && (await isUnchanged(file, state))) {
      if (!(await moveUnchanged(newFile, { file, state }))) continue;
      onMoved(file, newFile);
      if (!isSeriesMetadata(name)) await moveRecord(file, newFile, deps.stateFolder);
      else if (title) await renameInSeriesMetadata(newFile, title);
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
  stateFolder: string,
  onMoved: ExtraListeners['onMoved'],
): Promise<void> {
  const folder = dirname(book);
  const images = (await readdirIfReadable(folder)).filter(
    (it) => it.isFile() && IMAGE_NAME.test(it.name) && stemOf(it.name) === stemOf(book),
  );
  for (const { name } of images) {
    const file = join(folder, name);
    const newFile = join(dirname(newBook), `${stemOf(newBook)}${extname(name)}`);
    const state = await readFileState(file);
    if (!state || !isOwnFile(file, state) || !(await moveUnchanged(newFile, { file, state })))
      continue;
    onMoved(file, newFile);
    await moveRecord(file, newFile, stateFolder);
  }
}

/** Without it, the image would count as the owner's at its new path, and would not be refreshed. */
async function moveRecord(file: string, newFile: string, stateFolder: string): Promise<void> {
  const savedCovers = await SavedCovers.open(stateFolder);
  const saved = savedCovers.get(file);
  if (saved) savedCovers.set(newFile, saved);
  await savedCovers.save();
}

function stemOf(file: string): string {
  return basename(file, extname(file));
}

/** An interruption or a ban, which stops any run. */
export function isFatal(error: unknown): boolean {
  if (!(error instanceof TankobonError)) return false;
  const { code, exitCode } = error;
  return code === 'interrupted' || exitCode === EXIT.cooldown || exitCode === EXIT.captcha;
}

/** Does not replace a file: false if there is one. */
async function copyNew(file: string, target: string): Promise<boolean> {
  const tmpFile = temporaryName(target);
  await copyRegularFile(file, tmpFile);
  if (await publishNew(tmpFile, target)) return true;
  await removeFile(tmpFile);
  return false;
}

/** A message for each folder that a renamed title has left, and that has files which tankobon did not write. */
export async function describeFoldersLeft(folders: Iterable<string>): Promise<readonly string[]> {
  const messages: string[] = [];
  for (const folder of folders) {
    const names = (await readdirIfReadable(folder)).map(({ name }) => name).sort();
    const more = names.length > MAX_NAMES ? ', …' : '';
    const some = names.slice(0, MAX_NAMES).join(', ');
    if (names.length > 0) messages.push(`Kept: ${folder} has other files: ${some}${more}`);
  }
  return messages;
}
