/** Titles with names that need escaping in file names and XML, and one that its rating excludes by default. */
import { GROUPS, PEOPLE, TAGS } from './people.js';
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from './example-ids.js';
import type { ContentRating, LibraryChapter, LibraryTitle } from './records.js';
import { createTitle, plainChapter } from './story-chapter.js';
import { drawnCover } from './story-pages.js';

/** Exactly 300 characters. */
const WORDY_NAME = 'A Very Long Title That Goes On and On Without Ever Coming to Its Point, '
  .repeat(5)
  .slice(0, 299)
  .concat('!');

interface OddTitle {
  readonly titleId: string;
  readonly chapterId: string;
  readonly name: string;
  readonly chapterName: string | null;
  readonly rating: ContentRating;
}

const ODD_TITLES: readonly OddTitle[] = [
  {
    titleId: EXAMPLE_TITLES.odd,
    chapterId: EXAMPLE_CHAPTERS.odd,
    name: 'Salt & Pepper <extra "crispy">: what/if? 🍜 \u200fשלום\u200e ]]>',
    chapterName: '..\\C:*?|<b>&amp;</b> \u202egnp.exe\u202c 🐈‍⬛',
    rating: 'safe',
  },
  {
    titleId: EXAMPLE_TITLES.reserved,
    chapterId: EXAMPLE_CHAPTERS.reserved,
    name: 'CON',
    chapterName: 'nul.txt. ',
    rating: 'safe',
  },
  {
    titleId: EXAMPLE_TITLES.wordy,
    chapterId: EXAMPLE_CHAPTERS.wordy,
    name: WORDY_NAME,
    chapterName: 'ながい'.repeat(80),
    rating: 'erotica',
  },
  {
    titleId: EXAMPLE_TITLES.rated,
    chapterId: EXAMPLE_CHAPTERS.rated,
    name: 'Filed Behind the Curtain',
    chapterName: null,
    rating: 'pornographic',
  },
];

export const oddTitles = (): LibraryTitle[] =>
  ODD_TITLES.map(({ titleId, name, rating }, index) =>
    createTitle({
      id: titleId,
      title: index === 0 ? { 'ja-ro': name } : { en: name },
      description: index === 0 ? { en: 'Noodles <b>&</b> "quotes" \u0000 and a tab\t.' } : {},
      status: 'hiatus',
      contentRating: rating,
      createdAt: `2023-07-0${index + 1}T09:00:00+00:00`,
      updatedAt: '2024-07-01T09:00:00+00:00',
      tags: [TAGS.comedy],
      authors: [PEOPLE.ampersand],
      covers: [drawnCover(titleId, null, 'stairs-cover')],
    }),
  );

export const oddChapters = (): LibraryChapter[] =>
  ODD_TITLES.map(({ chapterId, titleId, chapterName }, index) => {
    const options = {
      id: chapterId,
      titleId,
      chapter: '1',
      volume: index === 2 ? '1.5' : null,
      title: chapterName,
      groups: [GROUPS.slashes],
      at: `2024-05-0${index + 1}T10:00:00+00:00`,
    };
    return plainChapter(options, 3);
  });
