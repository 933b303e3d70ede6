/**
 * Dresses the library's records up as the live service's entities: id, type, attributes, relationships. A
 * relationship carries the attributes of what it points to only where `includes[]` asked for them.
 */
import {
  isPublished,
  uuidOf,
  type Library,
  type LibraryChapter,
  type LibraryCover,
  type LibraryGroup,
  type LibraryList,
  type LibraryPerson,
  type LibraryTag,
  type LibraryTitle,
} from './library/library.js';

interface Relationship {
  readonly id: string;
  readonly type: string;
  readonly attributes?: object;
}

export interface Entity {
  readonly id: string;
  readonly type: string;
  readonly attributes: object;
  readonly relationships: readonly Relationship[];
}

/** Who uploaded everything here. */
export const UPLOADER_ID = '5e0b7d21-9c48-4f36-8a75-d42e6b90c001';

const SINCE = { createdAt: '2020-01-01T00:00:00+00:00', updatedAt: '2020-01-01T00:00:00+00:00' };

const groupAttributes = ({ name }: LibraryGroup): object => ({
  name,
  altNames: [],
  locked: false,
  website: null,
  ircServer: null,
  ircChannel: null,
  discord: null,
  contactEmail: null,
  description: null,
  twitter: null,
  mangaUpdates: null,
  focusedLanguages: null,
  official: false,
  verified: false,
  inactive: false,
  publishDelay: null,
  ...SINCE,
  version: 1,
});

const personAttributes = ({ name }: LibraryPerson): object => ({
  name,
  imageUrl: null,
  biography: {},
  twitter: null,
  website: null,
  ...SINCE,
  version: 1,
});

const coverAttributes = ({ volume, fileName, locale, createdAt }: LibraryCover): object => ({
  description: '',
  volume,
  fileName,
  locale,
  createdAt,
  updatedAt: createdAt,
  version: 1,
});

const tagEntity = ({ id, name, group }: LibraryTag): Entity => ({
  id,
  type: 'tag',
  attributes: { name: { en: name }, description: {}, group, version: 1 },
  relationships: [],
});

const userAttributesOf = (username: string) => ({ username, roles: ['ROLE_MEMBER'], version: 1 });
const userAttributes = userAttributesOf('harbourmaster');

export interface Entities {
  /** As the record says, that is malformed where it says so. */
  readonly chapter: (chapter: LibraryChapter, includes: readonly string[]) => unknown;
  readonly title: (title: LibraryTitle, includes: readonly string[]) => unknown;
  readonly cover: (title: LibraryTitle, cover: LibraryCover, includes: readonly string[]) => Entity;
  readonly list: (list: LibraryList) => Entity;
  readonly person: (person: LibraryPerson, includes: readonly string[]) => Entity;
  readonly group: (group: LibraryGroup) => Entity;
  readonly tag: (tag: LibraryTag) => Entity;
  readonly user: (username: string) => Entity;
  readonly chaptersOf: (titleId: string) => readonly LibraryChapter[];
}

/** The entities of a library at a time. What it takes some counting to know of a title is counted once. */
export function entitiesOf(library: Library, nowMs: () => number): Entities {
  const byTitle = new Map<string | null, LibraryChapter[]>();
  for (const chapter of library.chapters()) {
    byTitle.set(chapter.titleId, byTitle.get(chapter.titleId) ?? []);
    byTitle.get(chapter.titleId)?.push(chapter);
  }
  const chaptersOf = (titleId: string): readonly LibraryChapter[] => byTitle.get(titleId) ?? [];
  const pluralize = new Map<string, object>();
  const titleAttributes = (title: LibraryTitle): object => {
    const attributes =
      pluralize.get(title.id) ?? attributesOf(title, chaptersOf(title.id), nowMs());
    pluralize.set(title.id, attributes);
    return attributes;
  };
  return {
    chaptersOf,
    chapter: (chapter, includes) => {
      const entity = chapterEntity(chapter, includes, library, titleAttributes);
      return chapter.malform ? chapter.malform(entity) : entity;
    },
    title: (title, includes) => {
      const entity = titleEntity(title, includes, titleAttributes(title));
      return title.malform ? title.malform(entity) : entity;
    },
    cover: (title, cover, includes) => ({
      id: cover.id,
      type: 'cover_art',
      attributes: coverAttributes(cover),
      relationships: [
        pointer(title.id, 'manga', includes, () => titleAttributes(title)),
        pointer(UPLOADER_ID, 'user', includes, () => userAttributes),
      ],
    }),
    list: ({ id, name, visibility, titleIds }) => ({
      id,
      type: 'custom_list',
      attributes: { name, visibility, version: 1 },
      relationships: [
        ...titleIds.map((titleId) => ({ id: titleId, type: 'manga' })),
        { id: UPLOADER_ID, type: 'user' },
      ],
    }),
    person: (person, includes) => ({
      id: person.id,
      type: 'author',
      attributes: personAttributes(person),
      relationships: library
        .titles()
        .filter(({ authors, artists }) =>
          [...authors, ...artists].some(({ id }) => id === person.id),
        )
        .map((title) => pointer(title.id, 'manga', includes, () => titleAttributes(title))),
    }),
    group: (group) => ({
      id: group.id,
      type: 'scanlation_group',
      attributes: groupAttributes(group),
      relationships: [],
    }),
    tag: tagEntity,
    user: (username) => ({
      id: uuidOf('user', username),
      type: 'user',
      attributes: userAttributesOf(username),
      relationships: [],
    }),
  };
}

/** A relationship, with what it points to where its kind is asked for. */
function pointer(
  id: string,
  type: string,
  includes: readonly string[],
  attributes: () => object,
): Relationship {
  return includes.includes(type) ? { id, type, attributes: attributes() } : { id, type };
}

function chapterEntity(
  chapter: LibraryChapter,
  includes: readonly string[],
  library: Library,
  titleAttributes: (title: LibraryTitle) => object,
): Entity {
  const title = chapter.titleId === null ? undefined : library.title(chapter.titleId);
  return {
    id: chapter.id,
    type: 'chapter',
    attributes: chapter.attributes,
    relationships: [
      ...chapter.groups.map((group) =>
        pointer(group.id, 'scanlation_group', includes, () => groupAttributes(group)),
      ),
      ...(title ? [pointer(title.id, 'manga', includes, () => titleAttributes(title))] : []),
      pointer(UPLOADER_ID, 'user', includes, () => userAttributes),
    ],
  };
}

function attributesOf(
  title: LibraryTitle,
  chapters: readonly LibraryChapter[],
  nowMs: number,
): object {
  const languages = new Set(chapters.map((chapter) => chapter.attributes.translatedLanguage));
  const latest = chapters
    .filter((chapter) => isPublished(chapter, nowMs))
    .sort((one, other) => one.attributes.createdAt.localeCompare(other.attributes.createdAt));
  return {
    ...title.attributes,
    isLocked: false,
    links: {},
    chapterNumbersResetOnNewVolume: false,
    availableTranslatedLanguages: [...languages].sort(),
    latestUploadedChapter: latest.at(-1)?.id ?? null,
    tags: title.tags.map(tagEntity),
    state: 'published',
    version: 1,
  };
}

function titleEntity(title: LibraryTitle, includes: readonly string[], attributes: object): Entity {
  const [cover] = title.covers;
  const people = (type: string, persons: readonly LibraryPerson[]): Relationship[] =>
    persons.map((person) => pointer(person.id, type, includes, () => personAttributes(person)));
  return {
    id: title.id,
    type: 'manga',
    attributes,
    relationships: [
      ...people('author', title.authors),
      ...people('artist', title.artists),
      ...(cover ? [pointer(cover.id, 'cover_art', includes, () => coverAttributes(cover))] : []),
    ],
  };
}
