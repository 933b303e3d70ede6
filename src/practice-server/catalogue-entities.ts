/**
 * Converts the library's records to the live service's entities: id, type, attributes, relationships. A relationship
 * has attributes only if `includes[]` names its type.
 */
import {
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

const entity = (
  id: string,
  type: string,
  attributes: object,
  relationships: readonly Relationship[] = [],
): Entity => ({ id, type, attributes, relationships });

/** JSON leaves out undefined attributes. */
const relationship = (
  id: string,
  type: string,
  includes: Includes,
  attributes: () => object,
): Relationship => ({ id, type, attributes: includes.includes(type) ? attributes() : undefined });

const uploader = (includes: Includes, id = UPLOADER_ID): Relationship =>
  relationship(id, 'user', includes, () => userAttributes('harbourmaster'));

const people = (
  type: string,
  persons: readonly LibraryPerson[],
  includes: Includes,
): Relationship[] =>
  persons.map((person) => relationship(person.id, type, includes, () => personAttributes(person)));

export class Entities {
  readonly #titleAttributes = new WeakMap<
    LibraryTitle,
    { chapters: readonly LibraryChapter[]; published: number; attributes: object }
  >();

  constructor(
    private readonly library: Library,
    private readonly nowMs: () => number,
  ) {}

  /** Malformed if the record says so. */
  chapter(chapter: LibraryChapter, includes: Includes): unknown {
    const title = this.library.title(chapter.titleId ?? '');
    const wellFormed = entity(chapter.id, 'chapter', chapter.attributes, [
      ...chapter.groups.map((group) =>
        relationship(group.id, 'scanlation_group', includes, () => groupAttributes(group)),
      ),
      ...(title ? [this.#titleRelationship(title, includes)] : []),
      uploader(includes, chapter.uploaderId),
    ]);
    return chapter.malform ? chapter.malform(wellFormed) : wellFormed;
  }

  /** Malformed if the record says so. */
  title(title: LibraryTitle, includes: Includes): unknown {
    const mainCover = title.covers.slice(0, 1);
    const wellFormed = entity(title.id, 'manga', this.#attributesOf(title), [
      ...people('author', title.authors, includes),
      ...people('artist', title.artists, includes),
      ...mainCover.map((cover) =>
        relationship(cover.id, 'cover_art', includes, () => coverAttributes(cover)),
      ),
    ]);
    return title.malform ? title.malform(wellFormed) : wellFormed;
  }

  cover(title: LibraryTitle, cover: LibraryCover, includes: Includes): Entity {
    const relationships = [this.#titleRelationship(title, includes), uploader(includes)];
    return entity(cover.id, 'cover_art', coverAttributes(cover), relationships);
  }

  person(person: LibraryPerson, includes: Includes): Entity {
    const titles = this.library
      .titles()
      .filter(({ authors, artists }) =>
        [...authors, ...artists].some(({ id }) => id === person.id),
      );
    const relationships = titles.map((title) => this.#titleRelationship(title, includes));
    return entity(person.id, 'author', personAttributes(person), relationships);
  }

  #titleRelationship(title: LibraryTitle, includes: Includes): Relationship {
    return relationship(title.id, 'manga', includes, () => this.#attributesOf(title));
  }

  /** Cached until the chapters change or another one is published: they depend on all chapters of the title. */
  #attributesOf(title: LibraryTitle): object {
    const chapters = this.library.chaptersOf(title.id);
    // A take-down changes nothing here.
    const nowMs = this.nowMs();
    const published = chapters.filter(
      ({ attributes }) => Date.parse(attributes.readableAt) <= nowMs,
    );
    const cached = this.#titleAttributes.get(title);
    if (cached?.chapters === chapters && cached.published === published.length) {
      return cached.attributes;
    }
    const languages = new Set(chapters.map((chapter) => chapter.attributes.translatedLanguage));
    const latest = [...published].sort((one, other) =>
      one.attributes.readableAt.localeCompare(other.attributes.readableAt),
    );
    const attributes = {
      chapterNumbersResetOnNewVolume: false,
      links: {},
      ...title.attributes,
      isLocked: false,
      availableTranslatedLanguages: [...languages].sort(),
      latestUploadedChapter: latest.at(-1)?.id ?? null,
      tags: title.tags.map(tagEntity),
      state: 'published',
    };
    this.#titleAttributes.set(title, { chapters, published: published.length, attributes });
    return attributes;
  }
}

export const listEntity = ({ id, name, visibility, titleIds }: LibraryList): Entity =>
  entity(id, 'custom_list', { name, visibility, version: 1 }, [
    ...titleIds.map((titleId) => ({ id: titleId, type: 'manga' })),
    { id: UPLOADER_ID, type: 'user' },
  ]);

export const groupEntity = (group: LibraryGroup): Entity =>
  entity(group.id, 'scanlation_group', groupAttributes(group));

export const tagEntity = ({ id, name, group }: LibraryTag): Entity =>
  entity(id, 'tag', { name: { en: name }, description: {}, group, version: 1 });

export const userEntity = (username: string): Entity =>
  entity(uuidOf('user', username), 'user', userAttributes(username));
