/**
 * A library whose entities are malformed in the ways of recorded answers: members that are missing, null, of another
 * type, or `[]` in place of `{}` as PHP writes it.
 */
import { plainChapter } from '../../src/practice-server/library/chapter-record.js';
import { GROUPS } from '../../src/practice-server/library/people.js';
import { uuidOf } from '../../src/practice-server/library/generated-chapter.js';
import type {
  Library,
  LibraryChapter,
  LibraryTitle,
  Malform,
} from '../../src/practice-server/library/records.js';
import { createLibrary } from '../../src/practice-server/library/library-contents.js';

const withAttributes =
  (changes: object): Malform =>
  (entity) => ({ ...entity, attributes: { ...entity.attributes, ...changes } });

const listAsAttributes: Malform = (entity) => ({ ...entity, attributes: [] });

/** Chapters of which a client can still make something. */
const REPAIRABLE_CHAPTERS: Readonly<Record<string, Malform>> = {
  missingVersion: withAttributes({ version: undefined }),
  nullPages: withAttributes({ pages: null }),
  integerChapter: withAttributes({ chapter: 7 }),
  integerTitle: withAttributes({ title: 7 }),
  nullLanguage: withAttributes({ translatedLanguage: null }),
  nullRelationship: (entity) => ({
    ...entity,
    relationships: [{ id: null, type: 'user' }, null, ...entity.relationships],
  }),
};

/** Chapters of which nothing can be made. */
const UNUSABLE_CHAPTERS: Readonly<Record<string, Malform>> = {
  nullEntity: () => null,
  nullId: (entity) => ({ ...entity, id: null }),
  listAsAttributes,
};

const REPAIRABLE_TITLES: Readonly<Record<string, Malform>> = {
  altTitlesAsObject: withAttributes({ altTitles: { 0: { en: 'Other' } } }),
  nullAltTitles: withAttributes({ altTitles: null }),
  yearAsText: withAttributes({ year: '2021' }),
  nullLinks: withAttributes({ links: null }),
  listAsLinksAndDescription: withAttributes({ links: [], description: [] }),
  nullTitle: withAttributes({ title: null, altTitles: [{ en: 'nullTitle' }] }),
};

const AT = '2024-05-01T10:00:00+00:00';

const titleId = (name: string): string => uuidOf('malformed title', name);
const chapterId = (name: string): string => uuidOf('malformed chapter', name);
const idsOf = (table: object, id: (name: string) => string) => Object.keys(table).map(id);

/** The ids of the titles: `wellFormed` has the malformed chapters, `unusable` and the others one good chapter each. */
export const MALFORMED_TITLES = {
  wellFormed: titleId('wellFormed'),
  unusable: titleId('unusable'),
  repairable: idsOf(REPAIRABLE_TITLES, titleId),
} as const;

/** The ids of the chapters of the title `wellFormed`, and of the one of the title `unusable`. */
export const MALFORMED_CHAPTERS = {
  wellFormed: chapterId('wellFormed'),
  /** Without pages, here or elsewhere. */
  empty: chapterId('empty'),
  repairable: idsOf(REPAIRABLE_CHAPTERS, chapterId),
  unusable: idsOf(UNUSABLE_CHAPTERS, chapterId),
  ofUnusableTitle: chapterId('unusable'),
} as const;

function titleOf(name: string, malform?: Malform): LibraryTitle {
  return {
    id: titleId(name),
    attributes: {
      title: { en: `Malformed ${name}` },
      altTitles: [],
      description: {},
      originalLanguage: 'ja',
      lastVolume: '',
      lastChapter: '',
      publicationDemographic: null,
      status: 'ongoing',
      year: 2021,
      contentRating: 'safe',
      createdAt: AT,
      updatedAt: AT,
    },
    tags: [],
    authors: [],
    artists: [],
    covers: [],
    ...(malform && { malform }),
  };
}

function chapterOf(name: string, title: string, chapter: number, malform?: Malform) {
  const facts = {
    id: chapterId(name),
    titleId: titleId(title),
    chapter: String(chapter),
    title: name,
    groups: [GROUPS.tidewater],
    at: AT,
  };
  const record: LibraryChapter = plainChapter(facts, name === 'empty' ? 0 : 2);
  return malform ? { ...record, malform } : record;
}

export function malformedLibrary(): Library {
  const titles = Object.entries({ ...REPAIRABLE_TITLES, unusable: listAsAttributes });
  const chapters = Object.entries({ ...REPAIRABLE_CHAPTERS, ...UNUSABLE_CHAPTERS });
  return createLibrary({
    titles: [titleOf('wellFormed'), ...titles.map(([name, malform]) => titleOf(name, malform))],
    chapters: [
      chapterOf('wellFormed', 'wellFormed', 1),
      chapterOf('empty', 'wellFormed', 2),
      ...chapters.map(([name, malform], index) =>
        chapterOf(name, 'wellFormed', 10 + index, malform),
      ),
      ...titles.map(([name]) => chapterOf(name, name, 1)),
    ],
    lists: [],
  });
}
