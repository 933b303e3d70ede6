/**
 * Saves covers beside the chapters: `cover.jpg` (or another extension) in each of their folders, or one for each volume,
 * `cover Vol.01.jpg`, where `bind` finds it.
 */
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { chooseCover, chooseVolumeCovers, coverUrl, fetchCovers } from '../api/covers.js';
import type { Cover, Title } from '../api/titles.js';
import { cleanSegment } from '../cbz/path-segment.js';
import { loadImage, type ImageLoaderDeps } from '../image/load-image.js';
import { ServiceError } from '../core/errors.js';
import {
  haveSameBytes,
  isSystemError,
  makeFolders,
  temporaryName,
  toStorageError,
  renameInto,
} from '../core/files.js';
import type { ServiceClient } from '../api/client.js';
import type { PlannedChapter } from './plan-jobs.js';

/** The names that saveCovers gives. */
export const COVER_NAME = /^cover(?: Vol\..+)?\.(?:jpe?g|png|gif|webp|avif)$/;

export interface CoverDeps {
  readonly client: ServiceClient;
  readonly loader: ImageLoaderDeps;
  /** The folder of the cover images on the service. */
  readonly coversUrl: URL;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** A folder, and the chapters of one title in it. */
export interface TitleFolder {
  readonly folder: string;
  readonly title: Title;
  readonly chapters: { readonly volume: string | undefined; readonly language: string }[];
  /** The folder got chapters of another title too. */
  isShared: boolean;
}

/**
 * Saves a cover in each folder that contains chapters of a title; with `all`, also that of every volume, unless it exists.
 * Resolves with the files.
 */
export async function saveCovers(
  chapters: readonly PlannedChapter[],
  which: 'one' | 'all',
  deps: CoverDeps,
): Promise<string[]> {
  const files: string[] = [];
  for (const titleFolder of await groupByFolder(chapters)) {
    const { folder, title, chapters: ofTitle } = titleFolder;
    const covers = await fetchCovers(deps.client, title.id, deps);
    const main = chooseCover(covers, title, ofTitle);
    if (main) files.push(await saveCover(titleFolder, main, 'cover', deps));
    if (which === 'one') continue;
    const languages = [...new Set(ofTitle.map(({ language }) => language))];
    const existing = new Set(await namesIn(folder));
    for (const [volume, cover] of chooseVolumeCovers(covers, title, languages)) {
      const name = volumeCoverName(volume);
      if (!existing.has(name)) files.push(await saveCover(titleFolder, cover, name, deps));
    }
  }
  return files;
}

/** Without its extension. */
function volumeCoverName(volume: string): string {
  return cleanSegment(`cover Vol.${volume.padStart(2, '0')}`);
}

/** Without extensions. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).map((name) => name.replace(/\.\w+$/, ''));
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

export async function groupByFolder(
  chapters: readonly PlannedChapter[],
): Promise<readonly TitleFolder[]> {
  const folders = new Map<string, TitleFolder>();
  for (const { job, chapter, title: titlePromise } of chapters) {
    const title = await titlePromise;
    if (!chapter || !title) continue;
    const folder = dirname(job.file);
    const titleFolder = folders.get(folder) ?? { folder, title, chapters: [], isShared: false };
    folders.set(folder, titleFolder);
    if (titleFolder.title.id === title.id) titleFolder.chapters.push(chapter);
    else titleFolder.isShared = true;
  }
  return [...folders.values()];
}

async function saveCover(
  { folder, title }: TitleFolder,
  cover: Cover,
  name: string,
  deps: CoverDeps,
): Promise<string> {
  const tmpFile = temporaryName(join(folder, name));
  try {
    makeFolders(folder);
    const image = await loadCover(title, cover, tmpFile, deps);
    const file = join(folder, `${name}.${image.extension}`);
    await renameInto(tmpFile, file);
    return file;
  } catch (error) {
    throw toStorageError(error, folder);
  } finally {
    await rm(tmpFile, { force: true });
  }
}

async function loadCover(
  title: Pick<Title, 'id' | 'name'>,
  cover: Cover,
  file: string,
  { coversUrl, loader, signal }: CoverDeps,
) {
  const url = coverUrl(coversUrl, title.id, cover);
  const image = await loadImage(loader, { url, file }, signal);
  if (image.ok) return image;
  const message = `Cannot load the cover of ${title.name}: ${image.message}`;
  throw new ServiceError('unreachable', message);
}

/** A title may have covers in many languages. */
const MAX_LOADS = 10;

/** Whether files are covers that the service has of a title, and so not the owner's own. */
export class ServedCovers {
  #covers: Promise<readonly Cover[]> | undefined;

  constructor(
    private readonly title: Title,
    private readonly deps: CoverDeps,
  ) {}

  /** Loads covers beside the file, until one has the same bytes. Throws errors of the service. */
  async has(file: string): Promise<boolean> {
    const { title, deps } = this;
    this.#covers ??= fetchCovers(deps.client, title.id, deps);
    const covers = await this.#covers;
    const name = basename(file, extname(file));
    const ofVolume = covers.filter(({ volume = '' }) => volumeCoverName(volume) === name);
    const main = [...(title.mainCover ? [title.mainCover] : []), ...covers];
    const candidates = new Map(
      (name === 'cover' ? main : ofVolume).map((each) => [each.fileName, each]),
    );
    for (const cover of [...candidates.values()].slice(0, MAX_LOADS)) {
      const tmpFile = temporaryName(file);
      try {
        await loadCover(title, cover, tmpFile, deps);
        if (await haveSameBytes(tmpFile, file)) return true;
      } finally {
        await rm(tmpFile, { force: true });
      }
    }
    return false;
  }
}
