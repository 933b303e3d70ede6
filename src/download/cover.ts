/** The cover of what was saved, as a picture beside it: `cover.jpg` in the folder of the chapters. */
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chooseCover, coverUrl, fetchCovers } from '../api/covers.js';
import type { Title } from '../api/titles.js';
import { loadImage, type ImageLoaderDeps } from '../image/load-image.js';
import { ServiceError } from '../core/errors.js';
import { temporaryName, toStorageError, renameInto } from '../core/files.js';
import type { ServiceClient } from '../api/client.js';
import type { PlannedChapter } from './plan.js';

export interface CoverDeps {
  readonly client: ServiceClient;
  readonly loader: ImageLoaderDeps;
  /** Where the service keeps its cover pictures. */
  readonly coversUrl: URL;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** One folder of chapters of one title. */
interface Shelved {
  readonly folder: string;
  readonly title: Title;
  readonly chapters: { readonly volume: string | undefined; readonly language: string }[];
}

/** Saves a cover into each folder that chapters of a title went to; resolves with the files. */
export async function saveCovers(
  chapters: readonly PlannedChapter[],
  parts: CoverDeps,
): Promise<string[]> {
  const files: string[] = [];
  for (const createLibrary of await byFolder(chapters)) {
    const file = await saveCover(createLibrary, parts);
    if (file !== undefined) files.push(file);
  }
  return files;
}

async function byFolder(chapters: readonly PlannedChapter[]): Promise<Iterable<Shelved>> {
  const found = new Map<string, Shelved>();
  for (const { job, chapter, title: titleInFull } of chapters) {
    const title = await titleInFull;
    if (!chapter || !title) continue;
    const folder = dirname(job.file);
    const createLibrary = found.get(folder) ?? { folder, title, chapters: [] };
    found.set(folder, createLibrary);
    if (createLibrary.title.id === title.id) createLibrary.chapters.push(chapter);
  }
  return found.values();
}

async function saveCover(
  { folder, title, chapters }: Shelved,
  parts: CoverDeps,
): Promise<string | undefined> {
  const cover = chooseCover(await fetchCovers(parts.client, title.id, parts), title, chapters);
  if (!cover) return undefined;
  const url = coverUrl(parts.coversUrl, title.id, cover);
  const aside = temporaryName(join(folder, 'cover'));
  try {
    await mkdir(folder, { recursive: true });
    const loaded = await loadImage(
      parts.loader,
      { url, file: aside, expectedDigest: undefined },
      parts.signal,
    );
    if (!loaded.ok)
      throw new ServiceError(
        'unreachable',
        `The cover of ${title.name} did not come: ${loaded.message}`,
      );
    const file = join(folder, `cover.${loaded.extension}`);
    await renameInto(aside, file);
    return file;
  } catch (error) {
    throw toStorageError(error, folder);
  } finally {
    await rm(aside, { force: true });
  }
}
