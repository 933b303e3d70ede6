/**
 * The name that the template of now gives to a book that exists. Its manifest has the name that the program gave to it; for
 * one without, the built-in templates say whether its owner renamed it: in doubt it keeps its name. Pure.
 */
import { basename } from 'node:path';
import { BIND_BY, type BindBy } from '../config/bind-choices.js';
import { bookExtension } from '../config/containers.js';
import { cleanSegment, MAX_SEGMENT_BYTES, SHORT_SEGMENT_BYTES } from '../core/path-segment.js';
import { isSameName } from '../core/relative-paths.js';
import type { BookFile } from '../library/file.js';
import { templatesOfBooks } from './bind-request.js';
import { namesOfBook } from './book-names.js';
import type { BookName } from './book.js';
import { volumeOf } from './group-volumes.js';

export interface SeriesRename {
  readonly from: string;
  readonly to: string;
}

export interface TemplateOfNow {
  /** The template of volumes; undefined for the built-in one. */
  readonly bookName: string | undefined;
  readonly maxNameBytes: number;
}

type NamedBook = Pick<BookFile, 'path' | 'container' | 'chapters' | 'named'>;

/** Undefined for a name that its owner gave. */
export function nameByTemplate(
  book: NamedBook,
  { from, to }: SeriesRename,
  template: TemplateOfNow,
): BookName | undefined {
  const given = whatNamed(book, [from, to], template);
  if (!given) return undefined;
  const { by, series } = given;
  const [usual = '', , inLanguage = ''] = namesOf(
    book,
    { by, series: series === from ? to : series },
    template,
  );
  return { by, name: hasLanguage(book) ? inLanguage : usual };
}

/** The name of the book, if it is one that the built-in templates give. */
export function builtInName(book: Omit<NamedBook, 'named'>): BookName | undefined {
  const template = { bookName: undefined, maxNameBytes: MAX_SEGMENT_BYTES };
  const given = whatNamed({ ...book, named: undefined }, [], template);
  return given && { by: given.by, name: basename(book.path) };
}

interface GivenBy {
  readonly by: BindBy;
  readonly series: string;
}

/** The folder may take longer or shorter names than the one in which the book was named. */
const LIMITS = [MAX_SEGMENT_BYTES, SHORT_SEGMENT_BYTES];

function whatNamed(
  book: NamedBook,
  others: readonly string[],
  { bookName, maxNameBytes }: TemplateOfNow,
): GivenBy | undefined {
  const { named, chapters } = book;
  const written = chapters[0]?.metadata.series ?? '';
  const name = basename(book.path);
  const kinds = named ? [named.by] : BIND_BY.filter((by) => mayBe(book, by));
  for (const series of new Set([written, ...others]))
    for (const by of kinds)
      for (const limit of new Set([maxNameBytes, ...LIMITS]))
        for (const template of new Set([undefined, bookName])) {
          const names = namesOf(book, { by, series }, { bookName: template, maxNameBytes: limit });
          if (names.some((each) => isSameName(each, name))) return { by, series };
        }
  return named && isSameName(named.name, name) ? { by: named.by, series: written } : undefined;
}

function mayBe(book: NamedBook, by: BindBy): boolean {
  if (by === 'chapter') return book.chapters.length === 1;
  return by === 'title' || volumeOf(book.chapters) !== undefined;
}

function namesOf(
  book: NamedBook,
  { by, series }: GivenBy,
  { bookName, maxNameBytes }: TemplateOfNow,
): readonly string[] {
  const { container: format, chapters } = book;
  const extension = bookExtension(format);
  const template = by === 'volume' ? bookName : undefined;
  const options = { by, format, bookName: template, extension, maxNameBytes };
  const names = { ...templatesOfBooks(options), hasDefaultName: template === undefined, extension };
  const [language, volume] = [languageOf(book), volumeOf(chapters)];
  return namesOfBook({ by, series, language, volume, chapters, missing: [] }, names);
}

function languageOf({ chapters }: NamedBook): string {
  return chapters[0]?.metadata.language ?? '';
}

/** It stays, with or without it: other books that need it may be elsewhere by now. */
function hasLanguage(book: NamedBook): boolean {
  const language = cleanSegment(languageOf(book));
  const ending = ` [${language}]${bookExtension(book.container)}`;
  return language !== '' && basename(book.path).endsWith(ending);
}
