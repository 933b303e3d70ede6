/**
 * Converts the library's records to the live service's entities: id, type, attributes, relationships. A relationship
 * has attributes only if `includes[]` names its type.
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

interface Entity extends Relationship {
  readonly attributes: object;
  readonly relationships: readonly Relationship[];
}

type Includes = readonly string[];

/** The uploader of everything. */
export const UPLOADER_ID = '5e0b7d21-9c48-4f36-8a75-d42e6b90c001';

const CREATED = { createdAt: '2020-01-01T00:00:00+00:00', updatedAt: '2020-01-01T00:00:00+00:00' };

const CONTACTS = ['website', 'ircServer', 'ircChannel', 'discord', 'contactEmail', 'twitter'];
const nulls = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, null] as const));

const groupAttributes = ({ name }: LibraryGroup): object => ({
  name,
  altNames: [],
  locked: false,
  official: false,
  verified: false,
  inactive: false,
  ...nulls(...CONTACTS, 'description', 'mangaUpdates', 'focusedLanguages', 'publishDelay'),
  ...CREATED,
  version: 1,
});

const personAttributes = ({ name }: LibraryPerson): object => ({
  name,
  biography: {},
  ...nulls('imageUrl', 'twitter', 'website'),
  ...CREATED,
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

const userAttributes = (username: string) => ({ username, roles: ['ROLE_MEMBER'], version: 1 });

/** JSON leaves out undefined attributes. */
const relationship = (
  id: string,
  type: string,
  includes: Includes,
  attributes: () => object,
): Relationship => ({ id, type, attributes: includes.includes(type) ? attributes() : undefined });

const uploader = (includes: Includes): Relationship =>
  relationship(UPLOADER_ID, 'user', includes, () => userAttributes('harbourmaster'));

const people = (
  type: string,
  persons: readonly LibraryPerson[],
  includes: Includes,
): Relationship[] =>
  persons.map((person) => relationship(person.id, type, includes, () => personAttributes(person)));

export class Entities {
  readonly #titleAttributes = new Map<string, { published: number; attributes: object }>();

  constructor(
    private readonly library: Library,
    private readonly nowMs: () => number,
  ) {}

  readonly chaptersOf = (titleId: string): readonly LibraryChapter[] =>
    this.library.chaptersOf(titleId);

  /** Malformed if the record says so. */
  chapter(chapter: LibraryChapter, includes: Includes): unknown {
    const title = this.library.title(chapter.titleId ?? '');
    const entity: Entity = {
      id: chapter.id,
      type: 'chapter',
      attributes: chapter.attributes,
      relationships: [
        ...chapter.groups.map((group) =>
          relationship(group.id, 'scanlation_group', includes, () => groupAttributes(group)),
        ),
        ...(title ? [this.#titleRelationship(title, includes)] : []),
        uploader(includes),
      ],
    };
    return chapter.malform ? chapter.malform(entity) : entity;
  }

  /** Malformed if the record says so. */
  title(title: LibraryTitle, includes: Includes): unknown {
    const [cover] = title.covers;
    const entity: Entity = {
      id: title.id,
      type: 'manga',
      attributes: this.#attributesOf(title),
      relationships: [
        ...people('author', title.authors, includes),
        ...people('artist', title.artists, includes),
        ...(cover
          ? [relationship(cover.id, 'cover_art', includes, () => coverAttributes(cover))]
          : []),
      ],
    };
    return title.malform ? title.malform(entity) : entity;
  }

  cover(title: LibraryTitle, cover: LibraryCover, includes: Includes): Entity {
    return {
      id: cover.id,
      type: 'cover_art',
      attributes: coverAttributes(cover),
      relationships: [this.#titleRelationship(title, includes), uploader(includes)],
    };
  }

  person(person: LibraryPerson, includes: Includes): Entity {
    const titles = this.library
      .titles()
      .filter(({ authors, artists }) =>
        [...authors, ...artists].some(({ id }) => id === person.id),
      );
    return {
      id: person.id,
      type: 'author',
      attributes: personAttributes(person),
      relationships: titles.map((title) => this.#titleRelationship(title, includes)),
    };
  }

  #titleRelationship(title: LibraryTitle, includes: Includes): Relationship {
    return relationship(title.id, 'manga', includes, () => this.#attributesOf(title));
  }

  /** Cached until there is another chapter: they depend on all chapters of the title. */
  #attributesOf(title: LibraryTitle): object {
    const published = this.chaptersOf(title.id).filter((chapter) =>
      isPublished(chapter, this.nowMs()),
    );
    const cached = this.#titleAttributes.get(title.id);
    if (cached?.published === published.length) return cached.attributes;
    const attributes = this.#computeAttributes(title, published);
    this.#titleAttributes.set(title.id, { published: published.length, attributes });
    return attributes;
  }

  #computeAttributes(title: LibraryTitle, published: readonly LibraryChapter[]): object {
    const chapters = this.chaptersOf(title.id);
    const languages = new Set(chapters.map((chapter) => chapter.attributes.translatedLanguage));
    const latest = [...published].sort((one, other) =>
      one.attributes.readableAt.localeCompare(other.attributes.readableAt),
    );
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
}

export const listEntity = ({ id, name, visibility, titleIds }: LibraryList): Entity => ({
  id,
  type: 'custom_list',
  attributes: { name, visibility, version: 1 },
  relationships: [
    ...titleIds.map((titleId) => ({ id: titleId, type: 'manga' })),
    { id: UPLOADER_ID, type: 'user' },
  ],
});

export const groupEntity = (group: LibraryGroup): Entity => ({
  id: group.id,
  type: 'scanlation_group',
  attributes: groupAttributes(group),
  relationships: [],
});

export const tagEntity = ({ id, name, group }: LibraryTag): Entity => ({
  id,
  type: 'tag',
  attributes: { name: { en: name }, description: {}, group, version: 1 },
  relationships: [],
});

export const userEntity = (username: string): Entity => ({
  id: uuidOf('user', username),
  type: 'user',
  attributes: userAttributes(username),
  relationships: [],
});
