/** Titles with many chapters: several languages, competing and joint releases, re-uploads. */
import { uuidOf } from './digests.js';
import { EXAMPLE_TITLES } from './example-ids.js';
import { createLibrary } from './library-contents.js';
import { GROUPS, PEOPLE, TAGS } from './people.js';
import type { Library, LibraryChapter, LibraryGroup, LibraryTitle } from '../records.js';
import { createTitle, plainChapter } from './story-chapter.js';
import { drawnCover } from './story-pages.js';

const CHAPTERS_PER_VOLUME = 10;
/** The latest chapters have no volume yet. */
const CHAPTERS_WITHOUT_VOLUME = 40;
const FIRST_RELEASE_MS = Date.UTC(2015, 0, 3, 12);
const DAY_MS = 86_400_000;
const DAYS_PER_CHAPTER = 2;
/** A title with more chapters than fit gets a shorter interval, so that none is in the future. */
const MAX_RUN_DAYS = 3_000;
const REUPLOAD_EVERY = 97;

interface Release {
  readonly language: string;
  readonly groups: readonly LibraryGroup[];
  readonly delayDays: number;
  /** Whether this release exists of a chapter. `count` is the number of chapters. */
  readonly exists: (chapter: number, count: number) => boolean;
}

const release = (
  language: string,
  groups: readonly LibraryGroup[],
  delayDays: number,
  exists: Release['exists'],
): Release => ({ language, groups, delayDays, exists });

const { tidewater, paperLantern, mareAlta, lunaNueva } = GROUPS;
/** English is complete, with two releases of every fifth chapter and a joint one of every fiftieth. */
const RELEASES: readonly Release[] = [
  release('en', [tidewater], 0, (chapter) => chapter % 50 !== 0),
  release('en', [paperLantern], 1, (chapter) => chapter % 5 === 0 && chapter % 50 !== 0),
  release('en', [tidewater, paperLantern], 2, (chapter) => chapter % 50 === 0),
  release('pt-br', [mareAlta], 3, (chapter, count) => chapter <= count * 0.8),
  release('es-la', [lunaNueva], 3, (chapter, count) => chapter <= count * 0.6),
];

const stamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+00:00`;

function chapterOf(
  titleId: string,
  { language, groups, delayDays }: Release,
  chapter: number,
  count: number,
): LibraryChapter {
  const stepDays = Math.min(DAYS_PER_CHAPTER, MAX_RUN_DAYS / count);
  const releasedMs = FIRST_RELEASE_MS + ((chapter - 1) * stepDays + delayDays) * DAY_MS;
  const reuploaded = chapter % REUPLOAD_EVERY === 0;
  const hasVolume = chapter <= count - CHAPTERS_WITHOUT_VOLUME;
  const groupIds = groups.map(({ id }) => id);
  return plainChapter(
    {
      id: uuidOf('long title', titleId, language, chapter, ...groupIds),
      titleId,
      groups,
      at: stamp(releasedMs),
      updatedAt: stamp(releasedMs + (reuploaded ? 30 * DAY_MS : 0)),
      version: reuploaded ? 2 : 1,
      volume: hasVolume ? String(Math.ceil(chapter / CHAPTERS_PER_VOLUME)) : null,
      chapter: String(chapter),
      title: chapter % 3 === 0 ? null : `Day ${chapter}`,
      translatedLanguage: language,
    },
    2,
  );
}

const titleOf = (id: string, count: number): LibraryTitle =>
  createTitle({
    id,
    title: { en: 'Endless Stairs' },
    altTitles: [{ ja: '果てしない階段' }, { 'pt-br': 'Escadas sem fim' }],
    description: { en: 'One more floor. Then one more.' },
    lastChapter: String(count),
    publicationDemographic: 'shounen',
    year: 2015,
    createdAt: '2014-12-01T09:00:00+00:00',
    updatedAt: '2024-08-01T09:00:00+00:00',
    tags: [TAGS.adventure],
    authors: [PEOPLE.minase],
    artists: [PEOPLE.minase],
    covers: ['1', '2', '3'].map((volume) => drawnCover(id, volume, 'stairs-cover')),
  });

/** With 700 chapters the feed has 1,806 entries: 826 in English, 560 in Portuguese and 420 in Spanish. */
export function longTitle(options: { id?: string; chapters?: number } = {}): Library {
  const { id = EXAMPLE_TITLES.long, chapters: count = 700 } = options;
  const chapters = Array.from({ length: count }, (_, index) => index + 1).flatMap((chapter) =>
    RELEASES.filter(({ exists }) => exists(chapter, count)).map((each) =>
      chapterOf(id, each, chapter, count),
    ),
  );
  return createLibrary({ titles: [titleOf(id, count)], chapters });
}

/** A title whose feed has more than 10,000 entries and so exceeds the collection window (spec 8.4). */
export const endlessTitle = (id = 'cc1d9b04-7a3e-4f58-9b06-16f3a7d2e808'): Library =>
  longTitle({ id, chapters: 4_000 });
