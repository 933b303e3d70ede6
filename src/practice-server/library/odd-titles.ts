/** Titles with names that need escaping in file names and XML, and one that its rating excludes by default. */
import { GROUPS, PEOPLE, TAGS } from './people.js';
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from './example-ids.js';
import type { ContentRating, LibraryChapter, LibraryTitle } from '../records.js';
import { createTitle, plainChapter } from './story-chapter.js';
import { drawnCover } from './story-pages.js';

/** Exactly 300 characters. */
const WORDY_NAME = 'A Very Long Title That Goes On and On Without Ever Coming to Its Point, '
  .repeat(5)
  .slice(0, 299)
  .concat('!');

/** The keys are those of the example ids. */
const ODD_TITLES: readonly {
  readonly key: keyof typeof EXAMPLE_CHAPTERS & keyof typeof EXAMPLE_TITLES;
  readonly name: string;
  readonly chapterName: string | null;
  readonly rating: ContentRating;
}[] = [
  {
    key: 'odd',
    name: 'Salt & Pepper <extra "crispy">: what/if? 🍜 \u200fשלום\u200e ]]>',
    chapterName: '..\\C:*?|<b>&amp;</b> \u202egnp.exe\u202c 🐈‍⬛',
    rating: 'safe',
  },
  { key: 'reserved', name: 'CON', chapterName: 'nul.txt. ', rating: 'safe' },
  { key: 'wordy', name: WORDY_NAME, chapterName: 'ながい'.repeat(80), rating: 'erotica' },
  { key: 'rated', name: 'Filed Behind the Curtain', chapterName: null, rating: 'pornographic' },
];

export const oddTitles = (): LibraryTitle[] =>
  ODD_TITLES.map(({ key, name, rating }, index) =>
    createTitle({
      id: EXAMPLE_TITLES[key],
      title: index === 0 ? { 'ja-ro': name } : { en: name },
      description: index === 0 ? { en: 'Noodles <b>&</b> "quotes" \u0000 and a tab\t.' } : {},
      status: 'hiatus',
      contentRating: rating,
      createdAt: `2023-07-0${index + 1}T09:00:00+00:00`,
      updatedAt: '2024-07-01T09:00:00+00:00',
      tags: [TAGS.comedy],
      authors: [PEOPLE.ampersand],
      covers: [drawnCover(EXAMPLE_TITLES[key], null, 'stairs-cover')],
    }),
  );

export const oddChapters = (): LibraryChapter[] =>
  ODD_TITLES.map(({ key, chapterName }, index) => {
    const options = {
      id: EXAMPLE_CHAPTERS[key],
      titleId: EXAMPLE_TITLES[key],
      chapter: '1',
      volume: index === 2 ? '1.5' : null,
      title: chapterName,
      groups: [GROUPS.slashes],
      at: `2024-05-0${index + 1}T10:00:00+00:00`,
    };
    return plainChapter(options, 3);
  });
