/** The titles of a large collection: as the practice service has them, and as tankobon and other programs save them. */
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { toChapter, type Chapter } from '../../src/service/chapters.js';
import { toTitle, type Title } from '../../src/service/titles.js';
import { MANIFEST_NAME, formatIdentityComment } from '../../src/library/mark.js';
import { writeCbz, type CbzPage } from '../../src/library/cbz-writer.js';
import {
  COMIC_INFO_NAME,
  comicInfoXml,
  writtenMetadata,
  comicMetadata,
} from '../../src/library/comic-info.js';
import { formatRecord } from '../../src/library/record.js';
import {
  createLibrary,
  uuidOf,
  type Library,
  type LibraryChapter,
  type LibraryTitle,
} from '../../src/practice-server/library/library.js';
import { createTitle, plainChapter } from '../../src/practice-server/library/story-chapter.js';
import { SAMPLE_HEIGHT, SAMPLE_IMAGES, SAMPLE_WIDTH } from '../support/sample-images.js';

const NAMING = { titleLanguage: undefined };

export const FILES_PER_TITLE = 10;
export const PAGES_PER_FILE = 4;
const CHAPTERS_PER_VOLUME = 5;
const PAGE_BYTES = 400;
const AT = '2024-01-05T12:00:00+00:00';
const GROUP = { id: uuidOf('collection group'), name: 'Scans' };
const DESCRIPTION =
  'A keeper of a lighthouse finds a letter from the other side of the sea. '.repeat(10);
const SYLLABLES = 'ka ki ku ke ko na ni nu ne no ma mi mu me mo'.split(' ');
/** The headers of a ZIP without names (APPNOTE 4.3.7 and 4.3.12). */
const LOCAL_HEADER_BYTES = 30;
const DIRECTORY_HEADER_BYTES = 46;

/** Distinct for each index below 3,375, so that a search finds one title. */
export function titleName(index: number): string {
  const syllables = [225, 15, 1].map((unit) => SYLLABLES[Math.floor(index / unit) % 15] ?? '');
  const word = syllables.join('');
  return `${word.charAt(0).toUpperCase()}${word.slice(1)} Chronicle`;
}

export const titleId = (index: number): string => uuidOf('collection title', String(index));

const chapterId = (index: number, position: number): string =>
  uuidOf('collection chapter', String(index), String(position));

function libraryTitle(index: number): LibraryTitle {
  return createTitle({
    id: titleId(index),
    title: { en: titleName(index) },
    description: { en: DESCRIPTION },
    createdAt: AT,
    updatedAt: AT,
  });
}

/** The last one is in another language: it is not part of the collection. */
function libraryChapters(index: number): readonly LibraryChapter[] {
  return Array.from({ length: FILES_PER_TITLE + 1 }, (_, position) =>
    plainChapter(
      {
        id: chapterId(index, position),
        titleId: titleId(index),
        groups: [GROUP],
        at: AT,
        volume: String(Math.floor(position / CHAPTERS_PER_VOLUME) + 1),
        chapter: String(position + 1),
        ...(position === FILES_PER_TITLE && { translatedLanguage: 'fr' }),
      },
      PAGES_PER_FILE,
    ),
  );
}

const indexes = (titles: number) => Array.from({ length: titles }, (_, index) => index);

export function collectionLibrary(titles: number): Library {
  return createLibrary({
    titles: indexes(titles).map(libraryTitle),
    chapters: indexes(titles).flatMap(libraryChapters),
  });
}

function writtenTitle(index: number): Title {
  const { id, attributes } = libraryTitle(index);
  const unknown = {
    altTitles: undefined,
    publicationDemographic: undefined,
    lastVolume: undefined,
    year: undefined,
    chapterNumbersResetOnNewVolume: undefined,
    availableTranslatedLanguages: undefined,
    tags: undefined,
    latestUploadedChapter: undefined,
    links: undefined,
  };
  const [title, description] = [{ ...attributes.title }, { ...attributes.description }];
  const written = { ...attributes, ...unknown, title, description };
  return toTitle({ id, type: 'manga', attributes: written, relationships: [] }, NAMING);
}

function writtenChapter({ id, attributes, titleId: title }: LibraryChapter): Chapter {
  const related = { readTitle: () => undefined, cover: undefined, name: undefined };
  return toChapter(
    {
      id,
      type: 'chapter',
      attributes: {
        ...attributes,
        title: undefined,
        externalUrl: undefined,
        volume: attributes.volume ?? undefined,
        chapter: attributes.chapter ?? undefined,
      },
      relationships: [
        { ...related, type: 'scanlation_group', ...GROUP },
        { ...related, type: 'manga', id: title ?? '' },
      ],
    },
    NAMING,
  );
}

/**
 * Writes the files as `download` does, and those that gallery-dl has in their place. The files of the first title are
 * written by the writer of `download`, and the others are copies with their own ids and names: that takes seconds.
 */
export async function writeCollection(
  { comics, foreign }: Readonly<Record<'comics' | 'foreign', string>>,
  pagesFolder: string,
  titles: number,
): Promise<void> {
  const pages = writePages(pagesFolder);
  const plain = join(pagesFolder, 'plain.cbz');
  await writeCbz({ file: plain, pages });
  const plainBytes = readFileSync(plain);
  const templates = await Promise.all(
    ownChapters(0).map(async (chapter) => {
      const file = join(pagesFolder, `${chapter.id}.cbz`);
      await writeChapter(file, writtenTitle(0), chapter, pages);
      return readFileSync(file);
    }),
  );
  for (const index of indexes(titles)) {
    const name = titleName(index);
    for (const folder of [comics, foreign]) mkdirSync(join(folder, name), { recursive: true });
    for (const [position, chapter] of ownChapters(index).entries()) {
      const own = withOwnNames(templates[position] ?? plainBytes, index, position);
      writeFileSync(join(comics, name, ownName(name, chapter)), own);
      writeFileSync(join(foreign, name, foreignName(chapter)), plainBytes);
    }
  }
}

function ownChapters(index: number): readonly Chapter[] {
  return libraryChapters(index).slice(0, FILES_PER_TITLE).map(writtenChapter);
}

async function writeChapter(
  file: string,
  title: Title,
  chapter: Chapter,
  pages: readonly (CbzPage & { readonly sha256: string })[],
): Promise<void> {
  const sized = pages.map(({ bytes }) => ({ bytes, width: SAMPLE_WIDTH, height: SAMPLE_HEIGHT }));
  const comic = comicMetadata(chapter, title, sized);
  const { id: chapterId, version, updatedAt } = chapter;
  const identity = { chapterId, titleId: title.id, version, quality: 'data' as const };
  await writeCbz({
    file,
    pages,
    comment: formatIdentityComment(identity),
    comicInfo: await comicInfoXml(comic),
    record: formatRecord({
      ...identity,
      folderTemplate: '{series}',
      updatedAt,
      pages: pages.map(({ sha256 }) => sha256),
      metadata: writtenMetadata(comic),
    }),
  });
}

/** The file of the same chapter of the first title, with the names and ids of another one, which are as long. */
function withOwnNames(template: Buffer, index: number, position: number): Buffer {
  const names = (title: number) => [titleName(title), titleId(title), chapterId(title, position)];
  const own = names(index);
  let text = template.toString('latin1');
  for (const [each, name] of names(0).entries()) text = text.replaceAll(name, own[each] ?? '');
  const bytes = Buffer.from(text, 'latin1');
  for (const entry of [MANIFEST_NAME, COMIC_INFO_NAME]) {
    const local = bytes.indexOf(entry) - LOCAL_HEADER_BYTES;
    const listed = bytes.lastIndexOf(entry) - DIRECTORY_HEADER_BYTES;
    const start = local + LOCAL_HEADER_BYTES + entry.length + bytes.readUInt16LE(local + 28);
    const checksum = crc32(bytes.subarray(start, start + bytes.readUInt32LE(listed + 20)));
    bytes.writeUInt32LE(checksum, local + 14);
    bytes.writeUInt32LE(checksum, listed + 16);
  }
  return bytes;
}

function ownName(series: string, { volume = '', number = '' }: Chapter): string {
  return `${series} Vol.${volume.padStart(2, '0')} Ch.${number.padStart(3, '0')} [${GROUP.name}].cbz`;
}

function foreignName({ volume = '', number = '' }: Chapter): string {
  return `v${volume.padStart(2, '0')} c${number.padStart(3, '0')}.cbz`;
}

function writePages(folder: string) {
  mkdirSync(folder, { recursive: true });
  return Array.from({ length: PAGES_PER_FILE }, (_, index) => {
    // Bytes after the end of a JPEG are allowed.
    const page = Buffer.alloc(PAGE_BYTES, index + 1);
    SAMPLE_IMAGES.jpg.copy(page);
    const file = join(folder, `${index}.jpg`);
    writeFileSync(file, page);
    return { file, bytes: page.length, sha256: createHash('sha256').update(page).digest('hex') };
  });
}

/** The first titles of a collection as one of its own, of links: no command writes to a file that it found. */
export function linkTitles(from: string, to: string, titles: number): void {
  for (const index of indexes(titles)) {
    const name = titleName(index);
    mkdirSync(join(to, name), { recursive: true });
    for (const file of readdirSync(join(from, name)))
      linkSync(join(from, name, file), join(to, name, file));
  }
}
