/** Titles that are renamed, and the files of their chapters. */
import {
  editTitle,
  uuidOf,
  type Library,
  type LibraryChapter,
  type LibraryTitle,
  type TitleAttributes,
} from '../../src/practice-server/library/library.js';
import {
  createTitle,
  plainChapter,
  type ChapterOptions,
} from '../../src/practice-server/library/story-chapter.js';
import { readEntry } from './archive.js';

const AT = '2024-01-05T12:00:00+00:00';
/** When titles are renamed. */
export const LATER = '2024-02-05T12:00:00+00:00';
const GROUPS = [{ id: uuidOf('title folder group'), name: 'Scans' }];

export const title = (
  key: string,
  name: string,
  more: Partial<LibraryTitle & TitleAttributes> = {},
): LibraryTitle =>
  createTitle({ id: uuidOf(key), title: { en: name }, createdAt: AT, updatedAt: AT, ...more });

/** A chapter of one page. */
export const chapter = (
  key: string,
  number: string,
  more: Partial<ChapterOptions> = {},
): LibraryChapter =>
  plainChapter(
    {
      id: uuidOf(key, number, more.translatedLanguage ?? 'en'),
      titleId: uuidOf(key),
      groups: GROUPS,
      at: AT,
      chapter: number,
      ...more,
    },
    1,
  );

export function renameTitle(
  library: Library,
  key: string,
  name: string,
  more: Partial<TitleAttributes> = {},
): void {
  const found = library.title(uuidOf(key));
  if (!found) throw new Error(key);
  library.putTitle(editTitle(found, LATER, { title: { en: name }, ...more }));
}

/** `<Series>` of an archive. */
export const seriesOf = async (file: string): Promise<string | undefined> =>
  /<Series>(.*)<\/Series>/.exec(await readEntry(file, 'ComicInfo.xml'))?.[1];

/** The path of a chapter by the built-in template. */
export const named = (name: string, number: number, folder = name): string =>
  `${folder}/${name} Ch.${String(number).padStart(3, '0')} [Scans].cbz`;
