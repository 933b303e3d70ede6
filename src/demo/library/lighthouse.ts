/**
 * The Lighthouse Cat: a Japanese original, read right to left. Its chapters are of every kind that a reader
 * meets: joint releases, a second release, a second version, a decimal number, no number at all, hosted
 * elsewhere, unavailable, not yet published.
 */
import { storyChapter, type ChapterFacts } from './chapter-record.js';
import { GROUPS, PEOPLE, TAGS } from './credits.js';
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from './example-ids.js';
import type { LibraryChapter, LibraryTitle } from './records.js';
import { drawnCover } from './story-pages.js';

const NAME = 'The Lighthouse Cat of Minami Island';
const titleId = EXAMPLE_TITLES.lighthouse;
const { tidewater, paperLantern, mareAlta } = GROUPS;

export function lighthouseTitle(): LibraryTitle {
  return {
    id: titleId,
    attributes: {
      title: { en: NAME },
      altTitles: [{ 'ja-ro': 'Minamijima no Tōdai Neko' }, { ja: '南島の灯台猫' }],
      description: {
        en: 'The light of Minami Island goes out, and only the cat knows why.\n\nA quiet story in short chapters.',
        'pt-br': 'O farol da ilha se apaga, e só a gata sabe por quê.',
      },
      originalLanguage: 'ja',
      lastVolume: '',
      lastChapter: '',
      publicationDemographic: 'seinen',
      status: 'ongoing',
      year: 2021,
      contentRating: 'safe',
      createdAt: '2023-03-01T09:00:00+00:00',
      updatedAt: '2024-06-02T09:00:00+00:00',
    },
    tags: [TAGS.adventure, TAGS.sliceOfLife, TAGS.animals],
    authors: [PEOPLE.minase],
    artists: [PEOPLE.kurogane],
    covers: [
      drawnCover(titleId, '1', 'lighthouse-1'),
      drawnCover(titleId, '2', 'lighthouse-cover-2'),
    ],
  };
}

const CHAPTERS: readonly (Omit<ChapterFacts, 'titleId'> & { readonly pages?: number })[] = [
  {
    id: EXAMPLE_CHAPTERS.first,
    volume: '1',
    chapter: '1',
    title: 'The Light Goes Out',
    groups: [tidewater],
    at: '2024-01-05T12:00:00+00:00',
  },
  {
    id: EXAMPLE_CHAPTERS.portuguese,
    volume: '1',
    chapter: '1',
    title: 'A luz se apaga',
    translatedLanguage: 'pt-br',
    groups: [mareAlta],
    at: '2024-01-09T08:30:00+00:00',
  },
  {
    id: EXAMPLE_CHAPTERS.second,
    volume: '1',
    chapter: '2',
    title: 'A Cat Knows the Way',
    groups: [tidewater],
    at: '2024-01-12T12:00:00+00:00',
  },
  {
    id: EXAMPLE_CHAPTERS.secondByOthers,
    volume: '1',
    chapter: '2',
    title: 'The Cat Knows a Way',
    groups: [paperLantern],
    at: '2024-01-13T21:15:00+00:00',
  },
  {
    id: EXAMPLE_CHAPTERS.reuploaded,
    volume: '1',
    chapter: '3',
    title: 'Storm Warning',
    groups: [tidewater],
    at: '2024-01-19T12:00:00+00:00',
    updatedAt: '2024-02-20T18:00:00+00:00',
    version: 2,
  },
  {
    id: EXAMPLE_CHAPTERS.joint,
    volume: '2',
    chapter: '4',
    title: 'Tea at the "Gull & Anchor"',
    groups: [tidewater, paperLantern],
    at: '2024-01-26T12:00:00+00:00',
  },
  {
    id: EXAMPLE_CHAPTERS.externalWithPages,
    volume: '2',
    chapter: '6',
    title: 'Also Read Elsewhere',
    externalUrl: 'https://publisher.example/lighthouse/6',
    groups: [tidewater],
    at: '2024-02-09T12:00:00+00:00',
  },
  {
    id: EXAMPLE_CHAPTERS.decimal,
    volume: '2',
    chapter: '10.5',
    title: 'Extra: The Day Off',
    groups: [tidewater],
    at: '2024-03-01T12:00:00+00:00',
  },
  { id: EXAMPLE_CHAPTERS.bare, groups: [], at: '2024-03-08T12:00:00+00:00' },
  {
    id: EXAMPLE_CHAPTERS.external,
    volume: '2',
    chapter: '5',
    title: 'Read It at the Publisher',
    externalUrl: 'https://publisher.example/lighthouse/5',
    groups: [tidewater],
    at: '2024-02-02T12:00:00+00:00',
    pages: 0,
  },
  {
    id: EXAMPLE_CHAPTERS.unavailable,
    volume: '2',
    chapter: '7',
    title: 'Taken Down',
    isUnavailable: true,
    groups: [tidewater],
    at: '2024-02-16T12:00:00+00:00',
  },
  {
    id: EXAMPLE_CHAPTERS.future,
    volume: '3',
    chapter: '11',
    title: 'Tomorrow',
    publishAt: '2099-01-01T12:00:00+00:00',
    groups: [tidewater],
    at: '2024-03-15T12:00:00+00:00',
  },
];

export const lighthouseChapters = (): LibraryChapter[] =>
  CHAPTERS.map(({ pages, ...facts }) => storyChapter({ ...facts, titleId }, 'lighthouse', pages));
