/** Starlight Delivery Service: a Korean original, read left to right. */
import { GROUPS, PEOPLE, TAGS } from './people.js';
import { EXAMPLE_CHAPTERS, EXAMPLE_TITLES } from './example-ids.js';
import type { LibraryChapter, LibraryGroup, LibraryTitle } from '../records.js';
import { createTitle, storyChapter } from './story-chapter.js';
import { drawnCover } from './story-pages.js';

const titleId = EXAMPLE_TITLES.starlight;

export const starlightTitle = (): LibraryTitle =>
  createTitle({
    id: titleId,
    title: { en: 'Starlight Delivery Service' },
    altTitles: [{ 'ko-ro': 'Byeolbit Baedal' }, { ko: '별빛 배달' }],
    description: {
      en: 'Two couriers, one bicycle, and every address between here and the moon.',
    },
    originalLanguage: 'ko',
    lastVolume: '1',
    lastChapter: '2',
    status: 'completed',
    year: 2019,
    contentRating: 'suggestive',
    createdAt: '2023-05-01T09:00:00+00:00',
    updatedAt: '2024-05-02T09:00:00+00:00',
    tags: [TAGS.comedy, TAGS.delivery, TAGS.longStrip],
    authors: [PEOPLE.seo],
    artists: [PEOPLE.seo],
    covers: [drawnCover(titleId, '1', 'starlight-1')],
  });

function release(
  id: string,
  chapter: string,
  title: string,
  group: LibraryGroup,
  day: string,
  translatedLanguage = 'en',
): LibraryChapter {
  const at = `2024-${day}T10:00:00+00:00`;
  const options = { id, titleId, chapter, title, groups: [group], at, translatedLanguage };
  return storyChapter(options, 'starlight');
}

export function starlightChapters(): LibraryChapter[] {
  const { starlightFirst, starlightSpanish, starlightSecond } = EXAMPLE_CHAPTERS;
  const { paperLantern, lunaNueva } = GROUPS;
  return [
    release(starlightFirst, '1', 'Two Parcels for the Moon', paperLantern, '04-01'),
    release(starlightSpanish, '1', 'Dos paquetes para la luna', lunaNueva, '04-03', 'es-la'),
    release(starlightSecond, '2', 'Signature Required', paperLantern, '04-08'),
  ];
}
