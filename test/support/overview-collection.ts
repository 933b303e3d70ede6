/** A collection with each kind of gap, and the practice library that knows its titles. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatIdentityComment } from '../../src/library/mark.js';
import {
  createLibrary,
  editTitle,
  takeDownChapter,
  type Library,
  type LibraryChapter,
  type TitleAttributes,
} from '../../src/practice-server/library/library.js';
import type { ChapterOptions } from '../../src/practice-server/library/story-chapter.js';
import { writeArchive } from './archive.js';
import { SAMPLE_IMAGES } from './sample-images.js';
import { chapterId, DAY_MS, syncChapter, syncTitle, titleId } from './sync-harness.js';

/** Executed, it would rename the page. */
export const HOSTILE_NAME = `"><script>document.title = 'executed'</script><img src=x onerror="document.title = 'executed'">`;
const PUBLISHER = 'https://publisher.example/lighthouse/21';

interface SampleTitle {
  readonly name: string;
  readonly last: number;
  readonly cover?: string;
  /** Numbers that the service does not have. */
  readonly gaps?: readonly number[];
  readonly attributes?: Partial<TitleAttributes>;
  readonly special?: Readonly<Record<number, Partial<ChapterOptions>>>;
  readonly takenDown?: readonly number[];
  readonly isHere: (number: number) => boolean;
  /** Numbers with a second file. */
  readonly twice?: readonly number[];
}

const SAMPLE_TITLES: readonly SampleTitle[] = [
  {
    name: 'The Lighthouse',
    last: 24,
    cover: 'lighthouse-cover-2.512.jpg',
    gaps: [17],
    special: {
      21: { externalUrl: PUBLISHER },
      22: { translatedLanguage: 'fr' },
      23: { translatedLanguage: 'pt-br' },
    },
    takenDown: [3, 20],
    isHere: (number) => number <= 19,
    twice: [5],
  },
  {
    name: 'A Hundred Stairs',
    last: 180,
    cover: 'stairs-cover.512.jpg',
    isHere: (number) => number % 30 !== 0 && number < 172,
  },
  {
    name: 'Starlight',
    last: 12,
    cover: 'starlight-1.512.jpg',
    attributes: { status: 'completed' },
    isHere: () => true,
  },
  {
    name: 'Tidewater',
    last: 9,
    gaps: [4, 5],
    attributes: { status: 'hiatus' },
    isHere: () => true,
  },
  {
    name: '灯台守の長い長い一日と、波の向こうから来た手紙',
    last: 31,
    cover: 'lighthouse-1.512.jpg',
    isHere: () => true,
  },
  {
    name: HOSTILE_NAME,
    last: 3,
    special: { 3: { externalUrl: `javascript:document.title='executed'` } },
    isHere: (number) => number < 3,
  },
];

export function overviewLibrary(nowMs: number): Library {
  const titles = SAMPLE_TITLES.map(({ name, attributes = {} }) =>
    editTitle(syncTitle(name), '2024-02-01T00:00:00+00:00', attributes),
  );
  const chapters = SAMPLE_TITLES.flatMap((title) => chaptersOf(title, nowMs - 9 * DAY_MS));
  return createLibrary({ titles, chapters });
}

function chaptersOf(title: SampleTitle, readableMs: number): readonly LibraryChapter[] {
  const { name, gaps = [], special = {}, takenDown = [] } = title;
  return numbersOf(title)
    .filter((number) => !gaps.includes(number))
    .map((number) => {
      const more = special[number] ?? {};
      const pages = more.externalUrl === undefined ? 1 : 0;
      const volume = String(Math.ceil(number / 8));
      const change = { volume, ...more };
      const chapter = syncChapter(name, String(number), readableMs, change, pages);
      return takenDown.includes(number) ? takeDownChapter(chapter) : chapter;
    });
}

function numbersOf({ last }: SampleTitle): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

/** Writes the files of the collection. */
export async function writeOverviewCollection(folder: string): Promise<void> {
  for (const [index, title] of SAMPLE_TITLES.entries()) {
    const { name, cover, gaps = [], twice = [], isHere } = title;
    const titleFolder = join(folder, `title ${index + 1}`);
    mkdirSync(titleFolder, { recursive: true });
    if (cover !== undefined)
      copyFileSync(
        new URL(`../../src/practice-server/fixtures/${cover}`, import.meta.url),
        join(titleFolder, 'cover.jpg'),
      );
    for (const number of numbersOf(title).filter((it) => isHere(it) && !gaps.includes(it))) {
      const comment = formatIdentityComment({
        chapterId: chapterId(name, String(number)),
        titleId: titleId(name),
        version: 1,
      });
      const files = [`${number}.cbz`, ...(twice.includes(number) ? [`${number} again.cbz`] : [])];
      for (const file of files)
        await writeArchive(join(titleFolder, file), { '001.png': SAMPLE_IMAGES.png }, comment);
    }
  }
}
