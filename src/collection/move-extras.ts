/**
 * Covers, `series.json` and `details.json` in the folders of renamed titles. Covers have no mark of tankobon, so one is
 * moved only if the service has the same image as a cover of the title; any other one is the owner's and stays, with a
 * copy for later books. The other two are moved if tankobon wrote them for this title.
 */
import { constants, copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readdirIfReadable } from '../cbz/scan-library.js';
import { isUnchanged, moveUnchanged, readFileState } from '../cbz/ownership.js';
import { TankobonError } from '../core/errors.js';
import { EXIT } from '../core/exit-codes.js';
import { makeSyncedFolders, removeFile, temporaryName } from '../core/files.js';
import { publishNew } from '../core/publish.js';
import { COVER_NAME, ServedCovers, type CoverDeps } from '../download/cover.js';
import { isOwnSeriesMetadata, isSeriesMetadata } from '../download/series-metadata.js';
import type { LeftFolder } from './new-folders.js';

export interface ExtraListeners {
  readonly onMoved: (file: string, newFile: string) => void;
  readonly warn: (message: string) => void;
}

/** Throws errors of the file system, those that stop any run, and the signal's reason when aborted. */
export async function moveExtras(
  { folder, newFolder, root, title }: LeftFolder,
  deps: CoverDeps,
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
    if (isOwn && state && (await isUnchanged(file, state))) {
      if (await moveUnchanged(newFile, { file, state })) onMoved(file, newFile);
    } else if (!isSeriesMetadata(name) && (await copyNew(file, newFile)) && title)
      warn(`Copied to ${dirname(newFile)}, since MangaDex does not have the same image: ${file}`);
  }
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
  await copyFile(file, tmpFile, constants.COPYFILE_EXCL);
  if (await publishNew(tmpFile, target)) return true;
  await removeFile(tmpFile);
  return false;
}
