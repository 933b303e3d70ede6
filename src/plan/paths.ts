/**
 * The path of each file that is written or renamed. The record of a chapter keeps the path that the name template gave: a
 * file that has it follows the metadata, and one that was renamed or moved keeps what its owner gave it. Pure.
 */
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { MAX_SEGMENT_BYTES, pathCollisionKey, SHORT_SEGMENT_BYTES } from '../core/path-segment.js';
import {
  folderMove,
  foldersBelow,
  foldersOf,
  inFormOf,
  isSameName,
  pathBelow,
} from '../core/relative-paths.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { languageTag, type ChapterMetadata } from '../library/comic-info.js';
import {
  cutName,
  distinctPaths,
  plainTitle,
  shortIdPath,
  templateFor,
  wholeIdPath,
  type NameTemplate,
} from '../config/names.js';
import {
  isWrittenOut,
  OWNERS_NAME,
  type NameValues,
  type RecordedName,
} from '../config/name-template.js';
import type { LibraryIndex } from '../library/scan.js';
import { replacedFile, type Keep, type OldFile, type UnnamedWrite, type Write } from './change.js';

const UUIDS = new RegExp(UUID_PATTERN, 'g');

/** A chapter file. */
export interface NamedFile {
  /** What the template names the chapter after that the file has or gets. */
  readonly values: NameValues;
  /** ComicInfo.xml as it is now; its owner may have edited what the name was made of. */
  readonly metadata: ChapterMetadata;
  /** What tankobon wrote there; undefined in older files. */
  readonly written: ChapterMetadata | undefined;
  /** The id of the chapter in the file, which may be replaced by another one. */
  readonly savedId: string;
  readonly recorded: RecordedName;
}

interface NameOptions {
  /** The templates that may have named the files, besides earlier forms of them. */
  readonly templates: readonly NameTemplate[];
  /** Whether the numbers of the title begin again in a later volume, which changes the form of the built-in template. */
  readonly numbersRestart: boolean;
  /** For all files that their owner did not rename, also those that none of the templates named. */
  readonly renameTo: NameTemplate | undefined;
  /**
   * What stays of the title, although it would have other names by now: its folders and its people; its people; or nothing,
   * since it gets another name in a folder, in which all of its files are moved.
   */
  readonly keeps: 'folders' | 'people' | { readonly movedIn: string };
}

interface NewPath {
  /** An absolute path; that of now for a file that stays. */
  readonly to: string;
  /** The folder that contains the path by the template. */
  readonly root: string;
  /** What the record says of the name from now on; undefined if that stays. */
  readonly recorded: RecordedName | undefined;
}

/**
 * The path that a file gets as it is written with other metadata. What has the path of its record, also if the whole
 * output folder was moved, gets the one that the template gives now. A file that its owner renamed keeps its name, and a
 * folder that was renamed or moved stays, with names of the template in it. A file that another template named stays as it
 * is unless `renameTo` is set, and one of another program does in any case. A name with the chapter's short id, where
 * another file had the plain one, keeps the id, unless another chapter takes the place. With a title that gets another
 * name, all files in its folder are moved.
 */
export function newPath(file: string, named: NamedFile, options: NameOptions): NewPath {
  const from = resolve(file);
  const { path } = named.recorded;
  if (path === undefined) return guessedPath(from, named, options);
  return pathByRecord(from, path, named, options);
}

/** The path of a file that keeps its name. */
function stayingPath(from: string, named: NamedFile, options: NameOptions): NewPath {
  const folder = newFolder(dirname(from), oldAndNewValues(from, named, options), options);
  return { to: join(folder.to, basename(from)), root: folder.root, recorded: undefined };
}

function pathByRecord(
  from: string,
  oldPath: string,
  named: NamedFile,
  options: NameOptions,
): NewPath {
  const stays = stayingPath(from, named, options);
  const { folderTemplate, fileTemplate } = named.recorded;
  const likely = formsOf(options).filter(({ of }) => of.fileTemplate === fileTemplate);
  const form = likely.find(({ of }) => of.folderTemplate === folderTemplate) ?? likely[0];
  const template =
    oldPath === OWNERS_NAME ? undefined : nextTemplate(form, oldPath, named, options);
  if (!template) return stays;
  // The folders may be of another template, such as the key `folder` of a subscription.
  const hasFolders =
    template.folderTemplate === folderTemplate ||
    (options.renameTo !== undefined && !isWrittenOut(folderTemplate ?? ''));
  const path = formatNew(template, oldPath, named, options);
  const folders = foldersOf(hasFolders ? path : oldPath);
  const recorded = {
    path: [...folders, basename(path)].join('/'),
    folderTemplate: hasFolders ? template.folderTemplate : folderTemplate,
    fileTemplate: template.fileTemplate,
  };
  const names = { name: basename(from), oldName: basename(oldPath), newName: basename(path) };
  const name = newBasename(names, named, template);
  if (name === undefined) return { ...stays, recorded };
  const move = folderMove(foldersOf(oldPath), dirname(from).split(sep));
  const below = hasFolders ? foldersBelow(move.from, folders) : undefined;
  if (!below) return { to: join(dirname(stays.to), name), root: stays.root, recorded };
  const root = move.to.join(sep) || sep;
  const to = inFormOf(dirname(from).split(sep), [...move.to, ...below]).join(sep) || sep;
  return { to: join(to, name), root, recorded };
}

/** Undefined for a file that stays. */
function nextTemplate(
  form: TemplateForm | undefined,
  oldPath: string,
  named: NamedFile,
  options: NameOptions,
): NameTemplate | undefined {
  const { renameTo } = options;
  if (!form || renameTo) return form?.now ?? renameTo;
  const path = formatNew(form.of, oldPath, named, options);
  return isSameName(basename(path), basename(oldPath)) ? form.of : form.now;
}

/** A form of a template that may have named a file, and the one that gives the name if that changes. */
interface TemplateForm {
  readonly of: NameTemplate;
  readonly now: NameTemplate;
}

/** The files of earlier versions keep their names until these change, and so do those of a title that goes on with 1. */
function formsOf({ templates, numbersRestart }: NameOptions): readonly TemplateForm[] {
  return templates.flatMap((template) => {
    const now = templateFor(template, { numbersRestart });
    const { volumeFirst, former } = template.builtIn ?? {};
    return [
      { of: template, now },
      // Before the other one: without a record of the template, a name with a volume may be of both.
      ...(former ? [{ of: former, now }] : []),
      ...(volumeFirst ? [{ of: volumeFirst, now: volumeFirst }] : []),
    ];
  });
}

function formatNew(
  template: NameTemplate,
  oldPath: string,
  { values: now, metadata, written = metadata }: NamedFile,
  { keeps, renameTo }: NameOptions,
): string {
  const people = peopleOf(written);
  const then = { ...now, ...oldValues(written), ...people };
  const values = typeof keeps === 'string' ? { ...now, ...people } : now;
  const inOldFolders = () => template(values, template.titleFoldersIn(oldPath, then));
  if (keeps === 'folders') return inOldFolders();
  const path = template(values);
  const isLong = (name: string) => Buffer.byteLength(name) >= MIN_CUT_BYTES;
  if (renameTo || !foldersOf(oldPath).some(isLong)) return path;
  const kept = inOldFolders();
  return haveCutFolders(path, kept) ? kept : path;
}

/** Whether the folders of the paths differ by the limit of names alone: covers and books are in the old ones. */
function haveCutFolders(path: string, other: string): boolean {
  const others = foldersOf(other);
  return foldersOf(path).every((name, index) => {
    const [shorter = '', longer = ''] = [name, others[index] ?? ''].sort(
      (a, b) => Buffer.byteLength(a) - Buffer.byteLength(b),
    );
    const bytes = Buffer.byteLength(shorter);
    return shorter === longer || (bytes >= MIN_CUT_BYTES && cutName(longer, bytes) === shorter);
  });
}

/** A name that was cut is hardly shorter: letters are not divided. */
const MIN_CUT_BYTES = SHORT_SEGMENT_BYTES - 30;

/**
 * Undefined for a name that its owner gave. A killed run may have left the file under its new name, or under one of those
 * where it waits for that, with the old record.
 */
function newBasename(
  {
    name,
    oldName,
    newName,
  }: { readonly name: string; readonly oldName: string; readonly newName: string },
  { values: { id }, savedId }: NamedFile,
  limit: NameTemplate,
): string | undefined {
  const isOne = (names: readonly string[]) => names.some((each) => isSameName(each, name));
  const withId = (path: string, chapterId = id) => ({ chapterId, path });
  if (isOne([newName])) return name;
  if (isOne([oldName])) return newName;
  const withWholeId = [withId(oldName, savedId), withId(newName)].map((each) =>
    wholeIdPath(each, limit),
  );
  if (isOne(withWholeId)) return newName;
  const shortName = shortIdPath(withId(newName), limit);
  if (isOne([shortName])) return shortName;
  // The file may be from a folder that takes shorter or longer names.
  const limits = [
    limit,
    { maxNameBytes: SHORT_SEGMENT_BYTES },
    { maxNameBytes: MAX_SEGMENT_BYTES },
  ];
  const oldShortNames = limits.map((each) => shortIdPath(withId(oldName, savedId), each));
  if (!isOne(oldShortNames)) return undefined;
  return savedId === id ? shortName : newName;
}

/** For a file of an older version: a name that a template gave for the old metadata, or parkedPath, is changed. */
function guessedPath(from: string, named: NamedFile, options: NameOptions): NewPath {
  const path = from.split(sep).join('/');
  const { savedId } = named;
  const { id } = named.values;
  const withId = (name: string, chapterId = id) => ({ chapterId, path: name });
  const isSame = savedId === id;
  const values = oldAndNewValues(from, named, options);
  // Formatting all of them takes longer than reading the file, and most files have the first one.
  const renames = formsOf(options).flatMap((form) =>
    values.flatMap(([then, now]) => {
      const before = once(() => form.of(then));
      const isKept = () => !options.renameTo && basename(before()) === basename(form.of(now));
      const template = once(() => (isKept() ? form.of : form.now));
      const after = once(() => template()(now));
      const short = () => (isSame ? shortIdPath(withId(after()), form.of) : after());
      return [
        { template, path: after, before, after },
        { template, path: after, before: () => wholeIdPath(withId(after()), form.of), after },
        {
          template,
          path: after,
          before: () => shortIdPath(withId(before(), savedId), form.of),
          after: short,
        },
      ];
    }),
  );
  for (const rename of renames) {
    const oldName = rename.before();
    if (!path.endsWith(`/${oldName}`)) continue;
    const root = path.slice(0, -oldName.length);
    const { folderTemplate, fileTemplate } = rename.template();
    const recorded = { path: rename.path(), folderTemplate, fileTemplate };
    return { to: join(root, rename.after()), root: join(root), recorded };
  }
  const folder = newFolder(dirname(from), values, options);
  const rename = renames.find(({ before }) => basename(before()) === basename(from));
  const name = rename ? basename(rename.after()) : basename(from);
  return { to: join(folder.to, name), root: folder.root, recorded: undefined };
}

function once<T extends object | string>(compute: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= compute());
}

type OldAndNew = readonly (readonly [then: NameValues, now: NameValues])[];

/** The folder, or where it is moved if it is that of a title that gets another name, or in that. */
function newFolder(
  folder: string,
  values: OldAndNew,
  { templates, keeps }: NameOptions,
): Pick<NewPath, 'to' | 'root'> {
  if (typeof keeps === 'string') return { to: folder, root: folder };
  const base = dirname(resolve(keeps.movedIn));
  const segments = relative(base, folder).split(sep);
  for (const format of templates)
    for (const [{ series, author, artist }, after] of values) {
      const old = format({ ...after, series, author, artist });
      const change = changedFolders(old.split('/'), format(after).split('/'));
      const at = change ? lastIndexOf(segments, change.before) : -1;
      if (!change || at < 0) continue;
      const rest = segments.slice(at + change.before.length);
      const root = join(base, ...segments.slice(0, at));
      return { to: join(root, ...change.after, ...rest), root };
    }
  return { to: folder, root: folder };
}

/** The folders in which two paths differ, from the first to the last one. */
function changedFolders(path: readonly string[], other: readonly string[]) {
  const differing = path.flatMap((name, index) => (name === other[index] ? [] : [index]));
  const [first, last] = [differing[0], differing.findLast((index) => index < path.length - 1)];
  if (path.length !== other.length || first === undefined || last === undefined) return undefined;
  return { before: path.slice(first, last + 1), after: other.slice(first, last + 1) };
}

function lastIndexOf(segments: readonly string[], part: readonly string[]): number {
  return segments.findLastIndex((_, at) =>
    part.every((name, i) => isSameName(name, segments[at + i] ?? '')),
  );
}

/** Pairs of the values that a name may have been made of, and those of the new name. */
function oldAndNewValues(
  from: string,
  { values: now, metadata, written = {}, savedId }: NamedFile,
  { keeps }: NameOptions,
): OldAndNew {
  const known = [metadata, written].flatMap((each) => [
    each,
    { ...each, title: plainTitle(each.title) },
  ]);
  const pairs = known.flatMap((each) => {
    const people = peopleOf(each);
    const others = savedId === now.id ? [{}] : otherChapters(savedId, now, each, from);
    return others.flatMap((other) => {
      const then = { ...now, ...other, ...oldValues(each) };
      return [
        [{ ...then, ...people }, typeof keeps === 'string' ? { ...now, ...people } : now] as const,
        [then, now] as const,
      ];
    });
  });
  // Most files are as tankobon wrote them: they differ in nothing.
  return [...new Map(pairs.map((pair) => [JSON.stringify(pair), pair])).values()];
}

function peopleOf({ writers, pencillers }: ChapterMetadata) {
  return { author: writers?.join(', '), artist: pencillers?.join(', ') };
}

function oldValues({ series, volume, number, title, translators = [] }: ChapterMetadata) {
  return { series, volume, chapter: number, title, group: translators.join(' + ') };
}

/** What a chapter that is replaced by another one has of its own. No file says who uploaded it: any UUID in its name may. */
function otherChapters(
  id: string,
  by: NameValues,
  { language, publishedAt }: ChapterMetadata,
  file: string,
) {
  const values = {
    id,
    'chapter-id': id,
    date: publishedAt?.toISOString().slice(0, 10),
    language: languageTag(by.language ?? '') === language ? by.language : language?.toLowerCase(),
  };
  const uploaders = new Set(file.match(UUIDS));
  return [values, ...[...uploaders].map((uploader) => ({ ...values, uploader }))];
}

/** What the template gives a release. */
export interface TemplateName {
  /** Below the output folder, with `/` between folders. */
  readonly path: string;
  readonly recorded: RecordedName;
}

/** The name that a file gets as it is replaced, and the name of its series. */
export interface ReplacedName {
  /** An absolute path. */
  readonly path: string;
  /** Undefined if the old record says nothing. */
  readonly recorded: RecordedName | undefined;
  readonly series: string;
}

interface NamedWrites {
  readonly writes: readonly Write[];
  /** Files that cannot be read, and that have the path that a new file would have. */
  readonly kept: readonly Keep[];
}

interface PathOptions {
  readonly output: string;
  readonly library: Pick<LibraryIndex, 'filesAt' | 'damaged' | 'maxNameBytes'>;
  readonly templateName: (release: UnnamedWrite['release']) => TemplateName;
  /** The new names of files that are replaced, by the ids of the releases. */
  readonly newNames: ReadonlyMap<string, ReplacedName>;
}

/** Gives each file a path that no other chapter has. */
export function withPaths(
  changes: readonly UnnamedWrite[],
  { output, library, templateName, newNames }: PathOptions,
): NamedWrites {
  const candidates = changes.map((change) => {
    const { release } = change;
    const given = templateName(release);
    const existing = newNames.get(release.id)?.path ?? replacedFile(change)?.file;
    const path = existing === undefined ? given.path : pathBelow(output, existing);
    return { chapterId: release.id, path, change, existing, given };
  });
  const leaving = new Set(changes.flatMap(filesThatLeave).map(({ file }) => file));
  // Also by a file that tankobon did not write.
  const isTaken = (path: string) =>
    library.filesAt(join(output, path)).some((file) => !leaving.has(file));
  const paths = distinctPaths(candidates, library, isTaken);
  const unreadable = new Map(
    library.damaged.map((damaged) => [pathCollisionKey(pathBelow(output, damaged.file)), damaged]),
  );
  const kept = new Map<string, Keep>();
  const writes = candidates.map(({ change, existing, path: wanted, given }, index): Write => {
    const { release } = change;
    const path = existing ?? join(output, paths[index] ?? `${release.id}.cbz`);
    const inTheWay = replacedFile(change) ? undefined : unreadable.get(pathCollisionKey(wanted));
    if (inTheWay) {
      const { file, readError, cause } = inTheWay;
      kept.set(file, { kind: 'keep', file, why: 'unreadable', readError, cause, path });
    }
    if (existing === undefined) return withPath(change, path, given.recorded, undefined);
    const { recorded = recordedAt(wanted, given), series } = newNames.get(release.id) ?? {};
    return withPath(change, path, recorded, series);
  });
  return { writes, kept: [...kept.values()] };
}

function withPath(
  change: UnnamedWrite,
  path: string,
  recorded: RecordedName,
  series: string | undefined,
): Write {
  if (change.kind === 'save') return { ...change, path, recorded };
  return { ...change, path, recorded, series };
}

/** What is known of the name of a file that stays: whether the template gives it, or its folder. */
function recordedAt(path: string, { path: given, recorded }: TemplateName): RecordedName {
  if (isSameName(path, given)) return recorded;
  const { folderTemplate } = recorded;
  return isSameName(dirname(path), dirname(given)) ? { folderTemplate } : {};
}

function filesThatLeave(change: UnnamedWrite): readonly OldFile[] {
  if (change.kind === 'save') return [];
  return change.kind === 'replace' ? [change.file, ...change.removes] : change.removes;
}
