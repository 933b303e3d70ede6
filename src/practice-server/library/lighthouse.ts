/**
 * The Lighthouse Cat: a Japanese original, read right to left. Its chapters are of every kind that a reader
 * meets: joint releases, a second release, a second version, a decimal number, no number at all, hosted
 * elsewhere, unavailable, not yet published.
 */
import { storyChapter, type ChapterOptions } from './chapter-record.js';
import { GROUPS, PEOPLE, TAGS } from './people.js';
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from './example-ids.js';
import type { LibraryChapter, LibraryGroup, LibraryTitle } from './records.js';
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

type Special = Partial<Omit<ChapterOptions, 'groups'>> & { readonly pages?: number };

/** Chapter `number` of a volume, out on that day of 2024. */
function release(
  id: string,
  volume: string,
  number: string,
  title: string,
  groups: readonly LibraryGroup[],
  day: string,
  { pages, ...special }: Special = {},
): LibraryChapter {
  const options = { volume, chapter: number, title, groups, at: `2024-${day}T12:00:00+00:00` };
  return storyChapter({ ...options, ...special, id, titleId }, 'lighthouse', pages);
}

export function lighthouseChapters(): LibraryChapter[] {
  const by = EXAMPLE_CHAPTERS;
  const own = [tidewater];
  return [
    release(by.first, '1', '1', 'The Light Goes Out', own, '01-05'),
    release(by.portuguese, '1', '1', 'A luz se apaga', [mareAlta], '01-09', {
      translatedLanguage: 'pt-br',
      at: '2024-01-09T08:30:00+00:00',
    }),
    release(by.second, '1', '2', 'A Cat Knows the Way', own, '01-12'),
    release(by.secondByOthers, '1', '2', 'The Cat Knows a Way', [paperLantern], '01-13', {
      at: '2024-01-13T21:15:00+00:00',
    }),
    release(by.reuploaded, '1', '3', 'Storm Warning', own, '01-19', {
      updatedAt: '2024-02-20T18:00:00+00:00',
      version: 2,
    }),
    release(by.joint, '2', '4', 'Tea at the "Gull & Anchor"', [tidewater, paperLantern], '01-26'),
    release(by.externalWithPages, '2', '6', 'Also Read Elsewhere', own, '02-09', {
      externalUrl: 'https://publisher.example/lighthouse/6',
    }),
    release(by.decimal, '2', '10.5', 'Extra: The Day Off', own, '03-01'),
    storyChapter(
      { id: by.bare, titleId, groups: [], at: '2024-03-08T12:00:00+00:00' },
      'lighthouse',
    ),
    release(by.external, '2', '5', 'Read It at the Publisher', own, '02-02', {
      externalUrl: 'https://publisher.example/lighthouse/5',
      pages: 0,
    }),
    release(by.unavailable, '2', '7', 'Taken Down', own, '02-16', { isUnavailable: true }),
    release(by.future, '3', '11', 'Tomorrow', own, '03-15', {
      publishAt: '2099-01-01T12:00:00+00:00',
    }),
  ];
}
