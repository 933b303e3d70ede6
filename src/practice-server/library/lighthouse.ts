/**
 * The Lighthouse Cat: a Japanese original, read right to left. Its chapters cover the kinds of releases: joint, second
 * by another group, re-uploaded, decimal number, no number, hosted elsewhere, unavailable, not yet published.
 */
import { GROUPS, PEOPLE, TAGS } from './people.js';
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from './example-ids.js';
import type { LibraryChapter, LibraryGroup, LibraryTitle } from '../records.js';
import { createTitle, storyChapter, type ChapterOptions } from './story-chapter.js';
import { drawnCover } from './story-pages.js';

const titleId = EXAMPLE_TITLES.lighthouse;
const { tidewater, paperLantern, mareAlta } = GROUPS;

export const lighthouseTitle = (): LibraryTitle =>
  createTitle({
    id: titleId,
    title: { en: 'The Lighthouse Cat of Minami Island' },
    altTitles: [{ 'ja-ro': 'Minamijima no Tōdai Neko' }, { ja: '南島の灯台猫' }],
    description: {
      en: 'The light of Minami Island goes out, and only the cat knows why.\n\nA quiet story in short chapters.',
      'pt-br': 'O farol da ilha se apaga, e só a gata sabe por quê.',
    },
    lastVolume: '3',
    publicationDemographic: 'seinen',
    year: 2021,
    createdAt: '2023-03-01T09:00:00+00:00',
    updatedAt: '2024-06-02T09:00:00+00:00',
    tags: [TAGS.adventure, TAGS.sliceOfLife, TAGS.animals],
    authors: [PEOPLE.minase],
    artists: [PEOPLE.kurogane],
    covers: [
      drawnCover(titleId, '1', 'lighthouse-1'),
      drawnCover(titleId, '2', 'lighthouse-cover-2'),
    ],
  });

type Special = Partial<Omit<ChapterOptions, 'groups'>> & { readonly pages?: number };

/** `day` is a day of 2024. */
function release(
  id: string,
  volume: string,
  chapter: string,
  title: string,
  groups: readonly LibraryGroup[],
  day: string,
  { pages, ...special }: Special = {},
): LibraryChapter {
  const options = { volume, chapter, title, groups, at: `2024-${day}T12:00:00+00:00` };
  return storyChapter({ ...options, ...special, id, titleId }, 'lighthouse', pages);
}

export function lighthouseChapters(): LibraryChapter[] {
  const ids = EXAMPLE_CHAPTERS;
  const solo = [tidewater];
  return [
    release(ids.first, '1', '1', 'The Light Goes Out', solo, '01-05'),
    release(ids.portuguese, '1', '1', 'A luz se apaga', [mareAlta], '01-09', {
      translatedLanguage: 'pt-br',
      at: '2024-01-09T08:30:00+00:00',
    }),
    release(ids.second, '1', '2', 'A Cat Knows the Way', solo, '01-12'),
    release(ids.secondByOthers, '1', '2', 'The Cat Knows a Way', [paperLantern], '01-13', {
      at: '2024-01-13T21:15:00+00:00',
    }),
    release(ids.reuploaded, '1', '3', 'Storm Warning', solo, '01-19', {
      updatedAt: '2024-02-20T18:00:00+00:00',
      version: 2,
    }),
    release(ids.joint, '2', '4', 'Tea at the "Gull & Anchor"', [tidewater, paperLantern], '01-26'),
    release(ids.externalWithPages, '2', '6', 'Also Read Elsewhere', solo, '02-09', {
      externalUrl: 'https://publisher.example/lighthouse/6',
    }),
    release(ids.decimal, '2', '10.5', 'Extra: The Day Off', solo, '03-01'),
    storyChapter(
      { id: ids.bare, titleId, groups: [], at: '2024-03-08T12:00:00+00:00' },
      'lighthouse',
    ),
    release(ids.external, '2', '5', 'Read It at the Publisher', solo, '02-02', {
      externalUrl: 'https://publisher.example/lighthouse/5',
      pages: 0,
    }),
    release(ids.unavailable, '2', '7', 'Taken Down', solo, '02-16', { isUnavailable: true }),
    release(ids.future, '3', '11', 'Tomorrow', solo, '03-15', {
      publishAt: '2099-01-01T12:00:00+00:00',
    }),
  ];
}
