/**
 * A title of very many chapters, as the feeds of long-running series look: several languages, groups that
 * release the same chapter, joint releases, second versions. Its records are cheap; a page is drawn when it
 * is asked for.
 */
import { plainChapter } from './chapter-record.js';
import { GROUPS, PEOPLE, TAGS } from './people.js';
import { EXAMPLE_TITLES } from './example-ids.js';
import { uuidOf } from './generated-chapter.js';
import type { Library, LibraryChapter, LibraryGroup, LibraryTitle } from './records.js';
import { createLibrary } from './library-contents.js';
import { drawnCover } from './story-pages.js';

const CHAPTERS_A_VOLUME = 10;
/** The latest chapters are in no volume yet. */
const CHAPTERS_WITHOUT_VOLUME = 40;
const FIRST_RELEASE_MS = Date.UTC(2015, 0, 3, 12);
const DAY_MS = 86_400_000;
/** Chapters come every other day; more often where there are so many that they would not all be out yet. */
const LONGEST_RUN_DAYS = 3_000;

interface Release {
  readonly language: string;
  readonly groups: readonly LibraryGroup[];
  /** Whether the groups released this chapter of so many. */
  released(chapter: number, chapters: number): boolean;
  /** How many days after the chapter's day. */
  readonly delayDays: number;
}

const release = (
  language: string,
  groups: readonly LibraryGroup[],
  delayDays: number,
  released: Release['released'],
): Release => ({ language, groups, delayDays, released });

const { tidewater, paperLantern, mareAlta, lunaNueva } = GROUPS;
/** English whole; every fifth also by others and every fiftieth by both; Portuguese and Spanish lag behind. */
const RELEASES: readonly Release[] = [
  release('en', [tidewater], 0, (chapter) => chapter % 50 !== 0),
  release('en', [paperLantern], 1, (chapter) => chapter % 5 === 0 && chapter % 50 !== 0),
  release('en', [tidewater, paperLantern], 2, (chapter) => chapter % 50 === 0),
  release('pt-br', [mareAlta], 3, (chapter, chapters) => chapter <= chapters * 0.8),
  release('es-la', [lunaNueva], 3, (chapter, chapters) => chapter <= chapters * 0.6),
];

/** A moment as the service writes it. */
const stamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+00:00`;

const REUPLOADED_EVERY = 97;

function chapterOf(
  titleId: string,
  release: Release,
  chapter: number,
  chapters: number,
): LibraryChapter {
  const { language, groups, delayDays } = release;
  const stepDays = Math.min(2, LONGEST_RUN_DAYS / chapters);
  const releasedMs = FIRST_RELEASE_MS + ((chapter - 1) * stepDays + delayDays) * DAY_MS;
  const again = chapter % REUPLOADED_EVERY === 0;
  const names = groups.map((group) => group.id);
  return plainChapter(
    {
      id: uuidOf('long title', titleId, language, chapter, ...names),
      titleId,
      groups,
      at: stamp(releasedMs),
      updatedAt: stamp(releasedMs + (again ? 30 * DAY_MS : 0)),
      version: again ? 2 : 1,
      volume:
        chapter > chapters - CHAPTERS_WITHOUT_VOLUME
          ? null
          : String(Math.ceil(chapter / CHAPTERS_A_VOLUME)),
      chapter: String(chapter),
      title: chapter % 3 === 0 ? null : `Day ${chapter}`,
      translatedLanguage: language,
    },
    2,
  );
}

export interface LongTitleOptions {
  /** A UUID; the example library's long title where not given. */
  readonly id?: string;
  /** Chapter numbers go from 1 to this; 700 where not given. */
  readonly chapters?: number;
}

function titleOf(id: string, chapters: number): LibraryTitle {
  return {
    id,
    attributes: {
      title: { en: 'Endless Stairs' },
      altTitles: [{ ja: '果てしない階段' }, { 'pt-br': 'Escadas sem fim' }],
      description: { en: 'One more floor. Then one more.' },
      originalLanguage: 'ja',
      lastVolume: '',
      lastChapter: String(chapters),
      publicationDemographic: 'shounen',
      status: 'ongoing',
      year: 2015,
      contentRating: 'safe',
      createdAt: '2014-12-01T09:00:00+00:00',
      updatedAt: '2024-08-01T09:00:00+00:00',
    },
    tags: [TAGS.adventure],
    authors: [PEOPLE.minase],
    artists: [PEOPLE.minase],
    covers: ['1', '2', '3'].map((volume) => drawnCover(id, volume, 'stairs-cover')),
  };
}

/**
 * A library of one long title. Of 700 chapters it has 1,806 entries in its feed: 700 in English, 126 of them
 * twice, 560 in Portuguese and 420 in Spanish.
 */
export function longTitle(options: LongTitleOptions = {}): Library {
  const { id = EXAMPLE_TITLES.long, chapters = 700 } = options;
  const numbers = Array.from({ length: chapters }, (_, index) => index + 1);
  return createLibrary({
    titles: [titleOf(id, chapters)],
    lists: [],
    chapters: numbers.flatMap((chapter) =>
      RELEASES.filter((release) => release.released(chapter, chapters)).map((release) =>
        chapterOf(id, release, chapter, chapters),
      ),
    ),
  });
}

/** A library of one title whose feed has over 10,000 entries, more than its window shows. */
export const endlessTitle = (id = 'cc1d9b04-7a3e-4f58-9b06-16f3a7d2e808'): Library =>
  longTitle({ id, chapters: 4_000 });
