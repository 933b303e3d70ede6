/** The names of files, folders and pages, which are valid on Linux, macOS and Windows, and on network mounts. */
import {
  cleanSegment,
  MAX_SEGMENT_BYTES,
  pathCollisionKey,
  truncate,
} from '../core/path-segment.js';
import {
  foldersOfTemplate,
  isTitleFolder,
  parseTemplate,
  renderSegment,
  type FieldValues,
  type NameValues,
  type TemplateSegment,
} from './name-template.js';
import type { ImageExtension } from '../core/image-format.js';

const CBZ_EXTENSION = '.cbz';

/** The built-in templates of files. By the names that they give, the files of a title sort in reading order. */
const BUILT_IN_NAMES = {
  /** Chapters get their volume later, and not all of them: the number comes first. */
  chapterFirst: '{series} Ch.{chapter:03} Vol.{volume:02} - {title} [{group}]',
  /** For titles whose numbers begin again in a later volume. `Vol.TBD` is after all volumes, and Kavita knows it. */
  volumeFirst: '{series} Vol.{volume:02|TBD} Ch.{chapter:03} - {title} [{group}]',
  /** The only one of earlier versions. */
  former: '{series} Vol.{volume:02} Ch.{chapter:03} - {title} [{group}]',
} as const;

/** The names of folders that depend on the title alone, by the index of the folder in the template. */
type TitleFolders = readonly (string | undefined)[];

/** Returns the path for these values, with `/` between folders, in which the folders of `titleFolders` have these names. */
export interface NameTemplate {
  (values: NameValues, titleFolders?: TitleFolders): string;
  /** The text of the template's folders. */
  readonly folderTemplate: string;
  /** The text of the file's name, without the extension. */
  readonly fileTemplate: string;
  /** The longest names that it gives, for the folder that the files are in. */
  readonly maxNameBytes: number;
  /** The names that the title's folders have in `path`, which the template gave for these values, but for older titles. */
  readonly titleFoldersIn: (path: string, values: NameValues) => TitleFolders;
  /** The other forms of the built-in template, with the same folders; undefined for any other template. */
  readonly builtIn?: BuiltInForms | undefined;
}

export interface BuiltInForms {
  readonly volumeFirst: NameTemplate;
  readonly former: NameTemplate;
}

interface BuiltInOptions extends Pick<TemplateOptions, 'maxNameBytes'> {
  /** Whether files are of several languages, which their names say. */
  readonly hasLanguages: boolean;
  /** Whether each title has a folder of its own name. */
  readonly hasTitleFolder: boolean;
}

export function builtInTemplate({
  hasLanguages,
  hasTitleFolder,
  maxNameBytes,
}: BuiltInOptions): NameTemplate {
  const compile = (form: keyof typeof BUILT_IN_NAMES): NameTemplate =>
    compileNameTemplate(`${hasTitleFolder ? '{series}/' : ''}${builtInName(form, hasLanguages)}`, {
      maxNameBytes,
    });
  const builtIn = { volumeFirst: compile('volumeFirst'), former: compile('former') };
  return Object.assign(compile('chapterFirst'), { builtIn });
}

function builtInName(form: keyof typeof BUILT_IN_NAMES, hasLanguages: boolean): string {
  return BUILT_IN_NAMES[form].replace('[', hasLanguages ? '[{language}] [' : '[');
}

/** Whether the built-in template gave the volume first, in a run with one language or with several. */
export function isVolumeFirst(
  { builtIn }: Pick<NameTemplate, 'builtIn'>,
  fileTemplate: string | undefined,
): boolean {
  const names = [false, true].map((hasLanguages) => builtInName('volumeFirst', hasLanguages));
  return builtIn !== undefined && names.some((name) => name === fileTemplate);
}

/** The form of the template for a title. */
export function templateFor(
  template: NameTemplate,
  { numbersRestart }: { readonly numbersRestart: boolean },
): NameTemplate {
  return numbersRestart ? (template.builtIn?.volumeFirst ?? template) : template;
}

export interface TemplateOptions {
  /** The ending of the files, with its dot. */
  readonly extension?: string;
  /** The names of files stay so far below the limit, for what is added to them later. */
  readonly reservedBytes?: number;
  /** The longest name that the folder takes. */
  readonly maxNameBytes?: number | undefined;
}

/**
 * Parses a template. Throws UsageError `bad-option` for an invalid template or an unknown field, and StorageError
 * `outside-output` for a template that leaves the folder.
 */
export function compileNameTemplate(
  template: string,
  {
    extension = CBZ_EXTENSION,
    reservedBytes = 0,
    maxNameBytes = MAX_SEGMENT_BYTES,
  }: TemplateOptions = {},
): NameTemplate {
  const hasExtension = extension !== '' && template.toLowerCase().endsWith(extension);
  const text = hasExtension ? template.slice(0, -extension.length) : template;
  const segments = parseTemplate(text);
  const ofFolders = segments.slice(0, -1);
  const render = (segment: TemplateSegment, values: FieldValues, addedBytes = 0): string => {
    const maxBytes = maxNameBytes - addedBytes;
    const whole = cleanSegment(renderSegment(segment, values), Infinity);
    if (Buffer.byteLength(whole) <= maxBytes) return whole;
    return cleanSegment(renderSegment(segment, shortened(segment, values, maxBytes)), maxBytes);
  };
  const renderFolder = (segment: TemplateSegment, values: NameValues): string =>
    render(segment, { ...values, series: seriesFolder(values.series, values['title-id']) });
  const format = (values: NameValues, titleFolders: TitleFolders = []): string => {
    const folders = ofFolders.map(
      (segment, index) => titleFolders[index] ?? renderFolder(segment, values),
    );
    const addedBytes = Buffer.byteLength(extension) + reservedBytes;
    const name = segments.slice(-1).map((segment) => render(segment, values, addedBytes))[0] ?? '';
    return [
      ...folders.filter((folder) => folder !== ''),
      withExtension(name === '' ? cleanSegment(values.id) : name, extension, maxNameBytes),
    ].join('/');
  };
  const folderTemplate = foldersOfTemplate(text);
  const areOfTitle = folderTemplate.split('/').map(isTitleFolder);
  const titleFoldersIn: NameTemplate['titleFoldersIn'] = (path, values) => {
    const names = path.split('/').slice(0, -1);
    const isEmpty = ofFolders.map((segment) => renderFolder(segment, values) === '');
    // A folder without a name is not in the path.
    if (isEmpty.filter((each) => !each).length !== names.length) return [];
    return isEmpty.map((each, index) => {
      const name = each ? '' : (names.shift() ?? '');
      // The record may be of anyone who can write to the folder.
      const isValid = name !== '' && cleanSegment(name) === name;
      return isValid && areOfTitle[index] === true ? name : undefined;
    });
  };
  const fileTemplate = text.slice(folderTemplate === '' ? 0 : folderTemplate.length + 1);
  return Object.assign(format, { folderTemplate, fileTemplate, maxNameBytes, titleFoldersIn });
}

/** What folders have as the name of a series: the title's id for one such as `...`, which gives no folder. */
function seriesFolder(series: string | undefined, titleId: string | undefined): string | undefined {
  return cleanSegment(series ?? '') === '' ? titleId : series;
}

/** What gives way, in this order, where a name is too long: never volume and number, by which people and readers sort. */
const SHORTENED_FIELDS = ['series', 'title', 'group', 'author', 'artist'] as const;
/** How much stays of each of them at first; nothing, where that does not suffice. */
const MIN_FIELD_BYTES = [30, 0] as const;

/** Values with which the segment fits, if shortening these fields suffices. */
function shortened(segment: TemplateSegment, values: FieldValues, maxBytes: number): FieldValues {
  const fits = (some: FieldValues): boolean =>
    Buffer.byteLength(cleanSegment(renderSegment(segment, some), Infinity)) <= maxBytes;
  let result = values;
  for (const minBytes of MIN_FIELD_BYTES)
    for (const field of SHORTENED_FIELDS) {
      if (fits(result)) return result;
      const text = result[field]?.trim() ?? '';
      const cutTo = (bytes: number): FieldValues => ({ ...result, [field]: cutName(text, bytes) });
      const bytes = Math.min(Buffer.byteLength(text), maxBytes);
      let [low, high] = [Math.min(minBytes, bytes), bytes];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (fits(cutTo(middle))) low = middle;
        else high = middle - 1;
      }
      result = cutTo(low);
    }
  return result;
}

/** The year or the part of an id by which a title differs from another one of its name. */
const DISTINCTION = / \((?:\d{4}|[0-9a-f]{8})\)$/;

/** Cuts the text before what distinguishes it, if there is room for that. */
export function cutName(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const [end = ''] = DISTINCTION.exec(text) ?? [];
  const start = truncate(text, maxBytes - Buffer.byteLength(end));
  return start === '' ? truncate(text, maxBytes) : start + end;
}

interface PathCandidate {
  readonly chapterId: string;
  readonly path: string;
}

/** The longest name that the folder takes. */
type NameLimit = Pick<NameTemplate, 'maxNameBytes'>;

/**
 * Makes the paths unique, also for file systems that do not distinguish `A` from `a` or two encodings of `é`. All
 * chapters with the same path get part of their id added, so that the result does not depend on their order. `isTaken`
 * says which paths other files have. Returns the paths in the order of `candidates`.
 */
export function distinctPaths(
  candidates: readonly PathCandidate[],
  limit: NameLimit,
  isTaken: (path: string) => boolean = () => false,
): readonly string[] {
  const used = new Set<string>();
  const counts = new Map<string, number>();
  for (const { path } of candidates) {
    const key = pathCollisionKey(path);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const isFree = ({ path }: PathCandidate) =>
    !isTaken(path) && counts.get(pathCollisionKey(path)) === 1;
  const assigned = new Map(
    candidates.filter(isFree).map(({ chapterId, path }) => [chapterId, path]),
  );
  for (const path of assigned.values()) used.add(pathCollisionKey(path));
  const colliding = candidates.filter(({ chapterId }) => !assigned.has(chapterId));
  for (const candidate of colliding.sort((a, b) => (a.chapterId < b.chapterId ? -1 : 1))) {
    const path = firstFreePath(
      candidate,
      limit,
      (each) => isTaken(each) || used.has(pathCollisionKey(each)),
    );
    used.add(pathCollisionKey(path));
    assigned.set(candidate.chapterId, path);
  }
  return candidates.map(({ chapterId, path }) => assigned.get(chapterId) ?? path);
}

function firstFreePath(
  candidate: PathCandidate,
  limit: NameLimit,
  isUsed: (path: string) => boolean,
): string {
  for (const path of candidatePaths(candidate, limit)) {
    if (path !== candidate.path && !isUsed(path)) return path;
  }
  return candidate.path;
}

/** Yields the path, then variants with the chapter's short id, its id, `id 2` and so on. */
export function* candidatePaths(
  { chapterId, path }: PathCandidate,
  limit: NameLimit,
): Generator<string, never> {
  yield path;
  yield shortIdPath({ chapterId, path }, limit);
  yield wholeIdPath({ chapterId, path }, limit);
  for (let count = 2; ; count += 1) yield withSuffix(path, `${chapterId} ${count}`, limit);
}

/** The path of a chapter whose plain path another one has. */
export function shortIdPath({ chapterId, path }: PathCandidate, limit: NameLimit): string {
  return withSuffix(path, chapterId.slice(0, SHORT_ID_LENGTH), limit);
}

/** The path with the chapter's whole id in its name, which no template and hardly any other file has. */
export function wholeIdPath({ chapterId, path }: PathCandidate, limit: NameLimit): string {
  return withSuffix(path, chapterId, limit);
}

const SHORT_ID_LENGTH = 8;

function withSuffix(path: string, suffix: string, { maxNameBytes }: NameLimit): string {
  const folderEnd = path.lastIndexOf('/') + 1;
  const name = path.slice(folderEnd).slice(0, -CBZ_EXTENSION.length);
  const ending = ` (${cleanSegment(suffix)})${CBZ_EXTENSION}`;
  return path.slice(0, folderEnd) + withExtension(name, ending, maxNameBytes);
}

/** Whether it is the path with the chapter's short id, also where another limit of names cut it. */
export function isShortIdPath(path: string, { chapterId, path: plain }: PathCandidate): boolean {
  const ending = ` (${chapterId.slice(0, SHORT_ID_LENGTH)})${CBZ_EXTENSION}`;
  if (!path.endsWith(ending)) return false;
  const start = path.slice(0, -ending.length);
  return plain.startsWith(start) && start.lastIndexOf('/') === plain.lastIndexOf('/');
}

/** Shortens the name if the result would be too long. */
export function withExtension(name: string, ending: string, maxNameBytes: number): string {
  return cleanSegment(name, maxNameBytes - Buffer.byteLength(ending)) + ending;
}

const MIN_DIGITS = 3;

/** Such as `012.png`. `index` counts from 0. */
export function pageName(index: number, pages: number, extension: ImageExtension): string {
  return `${paddedNumber(index, pages)}.${extension}`;
}

/** Such as `012` for index 11, with more digits if `count` has more, so that names sort in reading order. */
export function paddedNumber(index: number, count: number): string {
  return String(index + 1).padStart(Math.max(MIN_DIGITS, String(count).length), '0');
}

interface NamedParts {
  readonly title?: string | undefined;
  readonly volume?: string | undefined;
  readonly number?: string | undefined;
}

/** Undefined if all parts are. */
export function numberedTitle({ title, volume, number }: NamedParts): string | undefined {
  const label = [
    ...(isPresent(volume) ? [`Vol.${volume}`] : []),
    ...(isPresent(number) ? [`Ch.${number}`] : []),
  ].join(' ');
  const parts = [label, title].filter(isPresent);
  return parts.length === 0 ? undefined : parts.join(' - ');
}

const NUMBERED = /^(?:Vol\.\S+ Ch\.\S+|Vol\.\S+|Ch\.\S+)(?: - (?<title>.+))?$/su;

/** The title without the volume and number that numberedTitle puts before it; other titles stay. */
export function plainTitle(title: string | undefined): string | undefined {
  const match = title === undefined ? undefined : NUMBERED.exec(title);
  return match ? match.groups?.['title'] : title;
}

function isPresent(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/** Types that no book contains. In the files of other programs they are pages too, and must not be left out silently. */
const OTHER_TYPE = /\.(jp2|jxl|bmp|tiff?|hei[cf])$/i;
/** `.jpg_large` and `.jpg_orig` are the names that Twitter gives. Some programs give a page its number alone. */
const BOOK_TYPE =
  /\.(jpe?g|jpe|jif|jfif|pjpe?g|pjp|a?png|gif|webp|avif)(_large|_orig)?$|(?:^|\/)\d+$/i;
/** The end of the name of a file; a number, as in `Ch.010.5`, is none. */
const FILE_TYPE = /\.[a-z]\w*$/i;
const DIGITS = /^\d+$/;
let collator: Intl.Collator | undefined;

/**
 * Natural order, 9 before 10, of each folder of a path and then of the file without its type, as most readers sort:
 * `Ch 10/1.jpg` is before `Ch 10.5/1.jpg`, and `1.jpg` before `1.5.jpg`.
 */
export function compareNames(a: string, b: string): number {
  return compareParts(partsOf(a), partsOf(b)) || compareText(a, b);
}

function partsOf(path: string): readonly string[] {
  return path.replace(FILE_TYPE, '').split('/');
}

function compareParts(parts: readonly string[], others: readonly string[]): number {
  for (const [index, part] of parts.entries()) {
    const other = others[index];
    if (other === undefined) return 1;
    const order = comparePart(part, other);
    if (order !== 0) return order;
  }
  return parts.length - others.length;
}

function comparePart(a: string, b: string): number {
  if (a === b) return 0;
  // The names of pages that tankobon gives have as many digits each.
  if (a.length === b.length && DIGITS.test(a) && DIGITS.test(b)) return a < b ? -1 : 1;
  // Groups give such names to what comes last.
  if (a.startsWith('~') !== b.startsWith('~')) return a.startsWith('~') ? 1 : -1;
  return compareText(a, b);
}

/** The collator is made on first use: it takes as long as a fifth of Node's start. */
function compareText(a: string, b: string): number {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(a, b);
}

function isImageName(name: string): boolean {
  return BOOK_TYPE.test(name) || OTHER_TYPE.test(name);
}

/** The type of a page that no book can contain, such as `BMP`; undefined for other names. */
export function otherImageType(name: string): string | undefined {
  return OTHER_TYPE.exec(name)?.[1]?.toUpperCase();
}

interface Named {
  readonly name: string;
}

/** The pages among the entries. If most are in hidden folders, these are not hidden: a series is called `.hack`. */
export function pageEntries<Page extends Named>(entries: readonly Page[]): Page[] {
  const images = entries.filter(({ name }) => isImageName(name));
  const pages = images.filter(({ name }) => isPage(name));
  if (pages.length === images.length) return pages;
  const all = images.filter(({ name }) => isPage(withoutDots(name)) && !PROGRAM_FOLDER.test(name));
  return all.length > 2 * pages.length ? all : pages;
}

/** Matches the hidden folders of file managers and other programs. */
const PROGRAM_FOLDER =
  /(^|\/)\.(thumbnails?|thumbs|trash[^/]*|recycle[^/]*|apple\w*|ds_store|cache|git|@\w+)\//i;

function withoutDots(name: string): string {
  return name.replace(/(^|\/)\.(?=[^./][^/]*\/)/g, '$1');
}

/** In the order of a chapter of any program. */
export function sortPages<Page extends Named>(pages: readonly Page[]): Page[] {
  const withParts = pages.map((page) => ({ page, parts: partsOf(page.name) }));
  withParts.sort((a, b) => compareParts(a.parts, b.parts) || compareText(a.page.name, b.page.name));
  return withParts.map(({ page }) => page);
}

/** A name of several dots, such as `...and the sea`, hides nothing. */
const HIDDEN_PART = /^(\.(?!\.)|\.\.$|__MACOSX$|@eaDir$)/i;

/** Images of other programs' folders, such as those of macOS and of a NAS, are not pages. */
export function isPage(name: string): boolean {
  // The tar of Windows and macOS writes `./001.png`.
  const parts = name.split('/').filter((part) => part !== '.');
  return isImageName(name) && !parts.some((part) => HIDDEN_PART.test(part));
}

/** Archives of comics that are not read. */
export function isOtherArchive(name: string): boolean {
  return /\.(cb[r7t]|rar|7z)$/i.test(name);
}
