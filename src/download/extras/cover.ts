/**
 * Saves covers beside the chapters: `cover.jpg` (or another extension) in each of their folders, or one for each volume,
 * `cover Vol.01.jpg`, where `bind` finds it. A cover that changed on the service is replaced, unless the owner put
 * another image in its place.
 */
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Options } from '../../config/options.js';
import { coverUrl, fetchCovers, type Title } from '../../service/titles.js';
import { isSameVolume } from '../../config/ranges.js';
import type { Chapter } from '../../service/chapters.js';
import { cleanSegment, MAX_SEGMENT_BYTES } from '../../core/path-segment.js';
import { loadImage, type ImageLoaderDeps } from '../../service/load-image.js';
import { ServiceError } from '../../core/errors.js';
import {
  digestIfRegular,
  haveSameBytes,
  isOwnFile,
  isSystemError,
  makeFolders,
  makeFoldersBelow,
  temporaryName,
  toStorageError,
} from '../../core/files.js';
import { publishNew } from '../../core/publish.js';
import type { ServiceClient } from '../../service/client.js';
import { readFileState, replaceAs } from '../../core/file-state.js';
import type { SavedCovers } from './saved-covers.js';

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

type Cover = Awaited<ReturnType<typeof fetchCovers>>[number];

/** A chapter and its file. */
export interface ChapterInFolder {
  readonly file: string;
  readonly chapter: Chapter | undefined;
  /** Undefined if nothing is known of it. Never rejects. */
  readonly title: Promise<Title | undefined>;
}

/** A folder, and the chapters of one title in it. */
export interface TitleFolder {
  readonly folder: string;
  readonly title: Title;
  readonly chapters: { readonly volume: string | undefined; readonly language: string }[];
  /** The folder got chapters of another title too. */
  isShared: boolean;
  /** Set where no chapter made the folder: the output folder, below which links are refused. */
  readonly root: string | undefined;
}

interface SaveCoverDeps extends CoverDeps {
  readonly savedCovers: SavedCovers;
}

/** Saves the cover of the title in its folder; with `all`, also that of every volume. Calls `onSaved` for each new file. */
export async function saveCovers(
  { folder, title, chapters: ofTitle, root }: TitleFolder,
  which: 'one' | 'all',
  onSaved: (file: string) => void,
  deps: SaveCoverDeps,
): Promise<void> {
  const covers = await fetchCovers(deps.client, title.id, deps);
  const existing = await coversIn(folder);
  const pathOf = (name: string) => {
    const found = existing.find((it) => coverBaseName(it) === name);
    return found === undefined ? undefined : join(folder, found);
  };
  // Later chapters of another volume do not change the cover of the series to theirs.
  const isFirst = pathOf('cover') === undefined;
  const main = chooseCover(covers, title, isFirst ? ofTitle : []);
  const languages = [...new Set(ofTitle.map(({ language }) => language))];
  const ofVolumes = which === 'all' ? chooseVolumeCovers(covers, title, languages) : [];
  const named: [string, Cover][] = [...ofVolumes].map(([volume, cover]) => [
    volumeCoverName(volume),
    cover,
  ]);
  if (main) named.unshift(['cover', main]);
  for (const [name, cover] of named) {
    const destination = { title, folder, root, name, existing: pathOf(name) };
    for (const file of await saveCover(destination, cover, deps)) onSaved(file);
  }
}

/**
 * The cover for these chapters: that of their volume if they are all of one, preferably in the chapters' language, then
 * in the original language; otherwise the title's main cover.
 */
export function chooseCover(
  covers: readonly Cover[],
  title: Pick<Title, 'mainCover' | 'originalLanguage'>,
  chapters: readonly { readonly volume: string | undefined; readonly language: string }[],
): Cover | undefined {
  const fallback = title.mainCover ?? covers[0];
  const volumes = new Set(chapters.map(({ volume }) => volume));
  const [volume] = volumes;
  if (volumes.size !== 1 || volume === undefined) return fallback;
  const ofVolume = covers.filter((cover) => isSameVolume(cover.volume, volume));
  const [best = fallback] = byLanguage(ofVolume, [chapters[0]?.language, title.originalLanguage]);
  return best;
}

/**
 * One cover for each volume that has one, in the first available of these languages, then in the original language, then
 * in any.
 */
function chooseVolumeCovers(
  covers: readonly Cover[],
  { originalLanguage }: Pick<Title, 'originalLanguage'>,
  languages: readonly string[],
): ReadonlyMap<string, Cover> {
  const chosen = new Map<string, Cover>();
  for (const cover of byLanguage(covers, [...languages, originalLanguage])) {
    const { volume } = cover;
    if (volume !== undefined && volume !== '' && !chosen.has(volume)) chosen.set(volume, cover);
  }
  return chosen;
}

/** Covers in the first of these languages come first, those in none of them last. */
function byLanguage(covers: readonly Cover[], languages: readonly (string | undefined)[]): Cover[] {
  const rankOf = ({ locale }: Cover) => {
    const rank = languages.findIndex((language) => language !== undefined && language === locale);
    return rank === -1 ? languages.length : rank;
  };
  return [...covers].sort((a, b) => rankOf(a) - rankOf(b));
}

export function coverBaseName(file: string): string {
  return basename(file, extname(file));
}

/** Without its extension. */
export function volumeCoverName(volume: string): string {
  const name = `cover Vol.${volume.padStart(2, '0')}`;
  return cleanSegment(name, MAX_SEGMENT_BYTES - '.jpeg'.length);
}

/**
 * Whether the folder lacks a cover that saveCovers may find: that of the title, or, with `all`, one of these volumes. With
 * `--no-chapters` each gets covers: those that are there may have changed.
 */
export async function needsCovers(
  { folder, title, chapters }: TitleFolder,
  { cover, chapterFiles = true }: Pick<Options, 'cover' | 'chapterFiles'>,
): Promise<boolean> {
  if (!chapterFiles) return true;
  const present = new Set((await coversIn(folder)).map(coverBaseName));
  const volumes = cover === 'all' ? chapters.flatMap(({ volume }) => volume ?? []) : [];
  return (
    title.mainCover !== undefined &&
    ['cover', ...volumes.map(volumeCoverName)].some((name) => !present.has(name))
  );
}

/** The names of the covers in a folder. */
export async function coversIn(folder: string): Promise<string[]> {
  return (await namesIn(folder)).filter((name) => COVER_NAME.test(name));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

export async function groupByFolder(
  chapters: readonly ChapterInFolder[],
): Promise<readonly TitleFolder[]> {
  const folders = new Map<string, TitleFolder>();
  for (const { file, chapter, title: titlePromise } of chapters) {
    const title = await titlePromise;
    if (!chapter || !title) continue;
    const folder = dirname(file);
    const none = { folder, title, chapters: [], isShared: false, root: undefined };
    const titleFolder = folders.get(folder) ?? none;
    folders.set(folder, titleFolder);
    if (titleFolder.title.id === title.id) titleFolder.chapters.push(chapter);
    else titleFolder.isShared = true;
  }
  return [...folders.values()];
}

interface PlacedCover extends Pick<TitleFolder, 'title' | 'folder' | 'root'> {
  /** Without its extension. */
  readonly name: string;
  /** The cover that is there. */
  readonly existing: string | undefined;
}

/** Resolves with the file if it was written. An image that was compared before is not loaded again. */
async function saveCover(
  { title, folder, root, name, existing }: PlacedCover,
  cover: Cover,
  deps: SaveCoverDeps,
): Promise<[string] | []> {
  const { savedCovers } = deps;
  const sha256 = existing === undefined ? undefined : await digestIfRegular(existing);
  const saved = existing === undefined ? undefined : savedCovers.get(resolve(existing));
  const known = saved?.sha256 === sha256 ? saved : undefined;
  if (known?.image === cover.fileName) return [];
  const tmpFile = temporaryName(join(folder, name));
  const keep = async (file: string, isOwn: boolean): Promise<void> => {
    const digest = (await digestIfRegular(file)) ?? '';
    const image = cover.fileName;
    savedCovers.set(resolve(file), { image, sha256: digest, isOwn, title: title.id });
  };
  try {
    if (root === undefined) makeFolders(folder);
    else await makeFoldersBelow(root, folder);
    const image = await loadCover(title, cover, tmpFile, deps);
    const file = join(folder, `${name}.${image.extension}`);
    const written = await placeCover(tmpFile, file, existing, known?.isOwn);
    if (written !== undefined) {
      await keep(written.file, true);
      return written.isNew ? [written.file] : [];
    }
    deps.warn(`Cover kept, since tankobon did not write it, or it was edited: ${existing ?? file}`);
    await keep(existing ?? file, false);
    return [];
  } catch (error) {
    throw toStorageError(error, folder);
  } finally {
    await rm(tmpFile, { force: true });
  }
}

/** Undefined if the cover that is there is not to be replaced. */
async function placeCover(
  tmpFile: string,
  file: string,
  existing: string | undefined,
  isOwn: boolean | undefined,
): Promise<{ readonly file: string; readonly isNew: boolean } | undefined> {
  if (existing === undefined)
    return (await publishNew(tmpFile, file)) ? { file, isNew: true } : undefined;
  const state = await readFileState(existing);
  if (!state || !isOwnFile(existing, state)) return undefined;
  if (await haveSameBytes(tmpFile, existing)) return { file: existing, isNew: false };
  if (isOwn !== true) return undefined;
  return { file: await replaceAs(tmpFile, [file], { file: existing, state }), isNew: true };
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

  /** @param tmpFolder where covers are loaded to */
  constructor(
    private readonly title: Title,
    private readonly tmpFolder: string,
    private readonly deps: CoverDeps,
  ) {}

  /** Loads covers until one has the bytes of the file. Throws errors of the service. */
  async has(file: string): Promise<boolean> {
    const { title, tmpFolder, deps } = this;
    this.#covers ??= fetchCovers(deps.client, title.id, deps);
    const covers = await this.#covers;
    const name = basename(file, extname(file));
    const ofVolume = covers.filter(({ volume = '' }) => volumeCoverName(volume) === name);
    const main = [...(title.mainCover ? [title.mainCover] : []), ...covers];
    const candidates = new Map(
      (name === 'cover' ? main : ofVolume).map((each) => [each.fileName, each]),
    );
    for (const cover of [...candidates.values()].slice(0, MAX_LOADS)) {
      const tmpFile = temporaryName(join(tmpFolder, basename(file)));
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
