/**
 * A library with entities that are malformed as in recorded responses: members that are missing, null or of another
 * type, or `[]` instead of `{}` as PHP writes it.
 */
import { uuidOf } from '../../src/practice-server/library/digests.js';
import { createLibrary } from '../../src/practice-server/library/library-contents.js';
import { GROUPS } from '../../src/practice-server/library/people.js';
import type {
  Library,
  LibraryChapter,
  LibraryTitle,
  Malform,
} from '../../src/practice-server/records.js';
import { createTitle, plainChapter } from '../../src/practice-server/library/story-chapter.js';

const withAttributes =
  (changes: object): Malform =>
  (entity) => ({ ...entity, attributes: { ...entity.attributes, ...changes } });

const listAsAttributes: Malform = (entity) => ({ ...entity, attributes: [] });

/** Chapters that a client can still use. */
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

/** Chapters that no client can use. */
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

/** The ids of the titles: `wellFormed` has the malformed chapters, the others one well-formed chapter each. */
export const MALFORMED_TITLES = {
  wellFormed: titleId('wellFormed'),
  unusable: titleId('unusable'),
  repairable: idsOf(REPAIRABLE_TITLES, titleId),
} as const;

/** The ids of the chapters of the title `wellFormed`, and of the only one of the title `unusable`. */
export const MALFORMED_CHAPTERS = {
  wellFormed: chapterId('wellFormed'),
  /** Without pages and without an external URL. */
  empty: chapterId('empty'),
  repairable: idsOf(REPAIRABLE_CHAPTERS, chapterId),
  unusable: idsOf(UNUSABLE_CHAPTERS, chapterId),
  ofUnusableTitle: chapterId('unusable'),
} as const;

const titleOf = (name: string, malform?: Malform): LibraryTitle =>
  createTitle({
    id: titleId(name),
    title: { en: `Malformed ${name}` },
    year: 2021,
    createdAt: AT,
    updatedAt: AT,
    malform,
  });

function chapterOf(name: string, title: string, number: number, malform?: Malform): LibraryChapter {
  const options = {
    id: chapterId(name),
    titleId: titleId(title),
    chapter: String(number),
    title: name,
    groups: [GROUPS.tidewater],
    at: AT,
  };
  return { ...plainChapter(options, name === 'empty' ? 0 : 2), malform };
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
  });
}
