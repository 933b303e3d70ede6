/** Starlight Delivery Service: a Korean original, read left to right. */
import { storyChapter, type ChapterFacts } from './chapter-record.js';
import { GROUPS, PEOPLE, TAGS } from './credits.js';
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from './example-ids.js';
import type { LibraryChapter, LibraryTitle } from './records.js';
import { drawnCover } from './story-pages.js';

const NAME = 'Starlight Delivery Service';
const titleId = EXAMPLE_TITLES.starlight;

export function starlightTitle(): LibraryTitle {
  return {
    id: titleId,
    attributes: {
      title: { en: NAME },
      altTitles: [{ 'ko-ro': 'Byeolbit Baedal' }, { ko: '별빛 배달' }],
      description: {
        en: 'Two couriers, one bicycle, and every address between here and the moon.',
      },
      originalLanguage: 'ko',
      lastVolume: '1',
      lastChapter: '2',
      publicationDemographic: null,
      status: 'completed',
      year: 2019,
      contentRating: 'suggestive',
      createdAt: '2023-05-01T09:00:00+00:00',
      updatedAt: '2024-05-02T09:00:00+00:00',
    },
    tags: [TAGS.comedy, TAGS.delivery, TAGS.longStrip],
    authors: [PEOPLE.seo],
    artists: [PEOPLE.seo],
    covers: [drawnCover(titleId, '1', 'starlight-1')],
  };
}

const CHAPTERS: readonly Omit<ChapterFacts, 'titleId'>[] = [
  {
    id: EXAMPLE_CHAPTERS.starlightFirst,
    chapter: '1',
    title: 'Two Parcels for the Moon',
    groups: [GROUPS.paperLantern],
    at: '2024-04-01T10:00:00+00:00',
  },
  {
    id: EXAMPLE_CHAPTERS.starlightSpanish,
    chapter: '1',
    title: 'Dos paquetes para la luna',
    translatedLanguage: 'es-la',
    groups: [GROUPS.lunaNueva],
    at: '2024-04-03T10:00:00+00:00',
  },
  {
    id: EXAMPLE_CHAPTERS.starlightSecond,
    chapter: '2',
    title: 'Signature Required',
    groups: [GROUPS.paperLantern],
    at: '2024-04-08T10:00:00+00:00',
  },
];

export const starlightChapters = (): LibraryChapter[] =>
  CHAPTERS.map((facts) => storyChapter({ ...facts, titleId }, 'starlight'));
