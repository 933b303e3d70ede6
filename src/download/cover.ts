/** Saves a cover beside the chapters: `cover.jpg` (or another extension) in each of their folders. */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chooseCover, coverUrl, fetchCovers } from '../api/covers.js';
import type { Title } from '../api/titles.js';
import { loadImage, type ImageLoaderDeps } from '../image/load-image.js';
import { ServiceError } from '../core/errors.js';
import { makeFolders, temporaryName, toStorageError, renameInto } from '../core/files.js';
import type { ServiceClient } from '../api/client.js';
import type { PlannedChapter } from './plan.js';

export interface CoverDeps {
  readonly client: ServiceClient;
  readonly loader: ImageLoaderDeps;
  /** The folder of the cover images on the service. */
  readonly coversUrl: URL;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** A folder, and the chapters of one title in it. */
interface TitleFolder {
  readonly folder: string;
  readonly title: Title;
  readonly chapters: { readonly volume: string | undefined; readonly language: string }[];
}

/** Saves a cover in each folder that contains chapters of a title; resolves with the files. */
export async function saveCovers(
  chapters: readonly PlannedChapter[],
  deps: CoverDeps,
): Promise<string[]> {
  const files: string[] = [];
  for (const titleFolder of await groupByFolder(chapters)) {
    const file = await saveCover(titleFolder, deps);
    if (file !== undefined) files.push(file);
  }
  return files;
}

async function groupByFolder(chapters: readonly PlannedChapter[]): Promise<Iterable<TitleFolder>> {
  const folders = new Map<string, TitleFolder>();
  for (const { job, chapter, title: titlePromise } of chapters) {
    const title = await titlePromise;
    if (!chapter || !title) continue;
    const folder = dirname(job.file);
    const titleFolder = folders.get(folder) ?? { folder, title, chapters: [] };
    folders.set(folder, titleFolder);
    if (titleFolder.title.id === title.id) titleFolder.chapters.push(chapter);
  }
  return folders.values();
}

async function saveCover(
  { folder, title, chapters }: TitleFolder,
  deps: CoverDeps,
): Promise<string | undefined> {
  const cover = chooseCover(await fetchCovers(deps.client, title.id, deps), title, chapters);
  if (!cover) return undefined;
  const url = coverUrl(deps.coversUrl, title.id, cover);
  const tmpFile = temporaryName(join(folder, 'cover'));
  try {
    makeFolders(folder);
    const image = await loadImage(deps.loader, { url, file: tmpFile }, deps.signal);
    if (!image.ok)
      throw new ServiceError(
        'unreachable',
        `Cannot load the cover of ${title.name}: ${image.message}`,
      );
    const file = join(folder, `cover.${image.extension}`);
    await renameInto(tmpFile, file);
    return file;
  } catch (error) {
    throw toStorageError(error, folder);
  } finally {
    await rm(tmpFile, { force: true });
  }
}
