/** The chapters of an archive as a book needs them: the chapter of a CBZ, or the chapters of a bound CBZ or EPUB. */
import { basename, dirname, extname, resolve } from 'node:path';
import { readLibraryFile, type KnownChapter, type ReadChapter } from '../library/file.js';
import type { FolderStore } from '../library/store.js';
import { plainTitle } from '../config/names.js';
import { fileChanged } from '../core/file-state.js';
import { letterKey } from '../core/name-keys.js';
import { guessFolder, guessLanguage, guessName, type GuessedFolder } from './guess-name.js';
import { sourceKey, wasRead, withGuesses, type BookChapter } from './source-chapter.js';
import { damagedChapter } from '../library/damage.js';
import { numberKey } from '../selection/reading-order.js';

/** Throws StorageError `archive-damaged` for a file that is not an archive with pages. */
export async function readChapters(file: string): Promise<readonly ReadChapter[]> {
  return toReadChapters(await readLibraryFile(file));
}

type LibraryFile = Awaited<ReturnType<typeof readLibraryFile>>;
type KnownOrRead = Awaited<ReturnType<FolderStore['read']>>;

/** Throws as readChapters does. */
export function toReadChapters(file: LibraryFile): readonly ReadChapter[];
export function toReadChapters(file: KnownOrRead): readonly KnownChapter[];
export function toReadChapters(file: KnownOrRead): readonly KnownChapter[] {
  switch (file.kind) {
    case 'missing':
    case 'unreadable':
      throw damagedChapter(file.path, file.cause);
    case 'chapter':
      return [withNamesOf(file)];
    case 'book': {
      const damage = file.hasReadablePages ? file.damage : NO_PAGES;
      if (damage !== undefined) throw damagedChapter(file.path, damage);
      return file.chapters;
    }
  }
}

const NO_PAGES = new Error('its pages cannot be read back');

/** The chapter with what ComicInfo does not say, from the names of the file and its folder. */
function withNamesOf(file: Extract<KnownOrRead, { readonly kind: 'chapter' }>): KnownChapter {
  const { path, ownership, chapter } = file;
  if (!file.hasReadablePages) throw damagedChapter(path, NO_PAGES);
  if (chapter.pages.length === 0) throw damagedChapter(path, new Error('it contains no images'));
  const isOfTankobon = ownership !== 'foreign';
  const metadata = withGuessesOf(path, chapter.metadata);
  return {
    ...chapter,
    record: isOfTankobon ? chapter.record : undefined,
    metadata: {
      ...metadata,
      title: isOfTankobon ? plainTitle(metadata.title) : titleOfOther(metadata),
    },
  };
}

/** Mihon writes its name of the chapter, such as `Vol.1 Ch.1 - Fog`, as the title. */
function titleOfOther({ title, number }: KnownChapter['metadata']): string | undefined {
  const plain = plainTitle(title);
  if (title === undefined || plain === title) return title;
  return guessName(title).number === numberKey(number) ? plain : title;
}

const nameOf = (path: string) => basename(path, extname(path));

let lastFolder: { readonly folder: string; readonly guessed: GuessedFolder } | undefined;

/** A folder has several files, which are read one after the other. */
function guessedFolder(folder: string): GuessedFolder {
  if (lastFolder?.folder !== folder) lastFolder = { folder, guessed: guessFolder(folder) };
  return lastFolder.guessed;
}

function withGuessesOf(path: string, metadata: KnownChapter['metadata']): KnownChapter['metadata'] {
  const { series, volume, number, language } = metadata;
  // To read thousands of names takes as long as the rest of a plan.
  if (![series, volume, number, language].includes(undefined)) return metadata;
  // The path may be relative to that folder; the index has the chapter for every spelling of the path.
  const folder = guessedFolder(dirname(resolve(path)));
  if (![series, volume, number].includes(undefined))
    return { ...metadata, language: guessLanguage(nameOf(path)) ?? folder.language };
  const { series: ofFolder, mainSeries = ofFolder } = folder;
  const names = [series ?? ofFolder, ofFolder, mainSeries];
  const guessed = guessName(nameOf(path), names);
  // The files of a later season often have the name of the whole series.
  const isOfPart =
    mainSeries !== ofFolder && letterKey(guessed.series ?? '') === letterKey(mainSeries);
  const guesses = withGuesses(metadata, {
    ...guessed,
    series: isOfPart ? ofFolder : guessed.series,
    language: guessed.language ?? folder.language,
    volume: guessed.volume ?? (guessed.number === undefined ? undefined : folder.volume),
  });
  return { ...guesses, series: guesses.series ?? ofFolder };
}

/**
 * The chapters with their pages, for the volumes in which the plan has them: those that it took from the index are read
 * now. Throws StorageError: `archive-damaged`, `file-changed`.
 */
export async function withPages(
  chapters: readonly BookChapter[],
): Promise<(ReadChapter & BookChapter)[]> {
  const files = new Map<string, readonly ReadChapter[]>();
  const complete: (ReadChapter & BookChapter)[] = [];
  for (const chapter of chapters) {
    if (wasRead(chapter)) {
      complete.push(chapter);
      continue;
    }
    const { file, record, metadata, listed } = chapter;
    const inFile = files.get(file) ?? (await readChapters(file));
    files.set(file, inFile);
    const read = inFile.find((each) => sourceKey(each) === sourceKey(chapter));
    if (!read) throw fileChanged(file);
    complete.push({
      ...read,
      listed,
      record: record && { ...read.record, ...record },
      metadata: { ...read.metadata, volume: metadata.volume },
    });
  }
  return complete;
}
