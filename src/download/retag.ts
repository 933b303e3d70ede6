/**
 * New metadata and names for the files of chapters whose pages stay, for `retag`, `--update` and `upgrade`. What becomes of
 * a file is decided in plan/chapter-changes.ts; each file is written after the one that has its new name, such as when numbers move
 * round. The file of a chapter that the service moved to another title goes to the folder of that; a name that the owner
 * gave it stays.
 */
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { ComicFields } from '../library/comic-info.js';
import { comicMetadata, writtenMetadata } from '../library/comic-info.js';
import type { KnownChapter } from '../library/file.js';
import { jsonDigest } from '../core/json.js';
import type { LibraryIndex } from '../library/scan.js';
import { candidatePaths, shortIdPath, wholeIdPath, type NameTemplate } from '../config/names.js';
import { fileChanged, readFileState, replaceAs } from '../core/file-state.js';
import { groupBy } from '../core/group-by.js';
import { pathCollisionKey } from '../core/path-segment.js';
import {
  lstatIfExists,
  makeSyncedFolders,
  removeEmptyFolders,
  temporaryName,
} from '../core/files.js';
import { publishNew } from '../core/publish.js';
import { isSameEntry, respellBelow } from '../core/same-file.js';
import type { RetaggedEvent } from '../events/download-events.js';
import type { Retag, UnreadRetag } from '../plan/change.js';
import { decideRetag } from '../plan/chapter-changes.js';
import { mergedComicInfo, readChapterFile, rewriteChapterFile } from '../library/chapter-file.js';
import { newPath } from '../plan/paths.js';
import { findTitleHomes, readNamedFile, type NamedChapterFile } from './planning/name-files.js';
import { movedPath, nameOptions, type TitleHome } from './planning/title-folder.js';
import { inferredVolumeOf } from './planning/comic-metadata.js';
import type { DownloadRequest, NameChapter } from './download-request.js';
import type { DownloadSession } from './download-session.js';
import { orderRenames } from './save/rename-order.js';
import { removeSuperseded } from './save/superseded-file.js';

export interface RetagOptions extends ComicFields {
  /** The longest name that the folder takes. */
  readonly maxNameBytes: number;
  /** Edits of the owner are replaced by what the service has. */
  readonly force: boolean;
  /** The pages were compared with those of the service: the file gets the chapter's version and time. */
  readonly hasComparedPages: boolean;
}

export interface FileToRetag extends Pick<Retag, 'file' | 'chapter' | 'title' | 'removes'> {
  /** The name that the title gets; undefined if it keeps the one that the file has. */
  readonly titleName: string | undefined;
  /** The service moved its chapter to another title. */
  readonly isMoved: boolean;
  /** The path that it gets. */
  readonly pathOf: (named: NamedChapterFile) => ReturnType<typeof newPath>;
}

interface NamingOptions extends Pick<DownloadRequest, 'output' | 'hasDefaultName'> {
  readonly nameChapter: NameChapter;
}

interface NewNames {
  /** The names of titles that get other ones, by their ids. */
  readonly titleNames: ReadonlyMap<string, string> | undefined;
  /** The templates whose names files get that their owner did not rename, by the ids of the titles. */
  readonly templates: ReadonlyMap<string, NameTemplate> | undefined;
}

/** What is known of the new names of the files in a folder whose names follow these options. */
export async function filesToRetag(
  files: readonly UnreadRetag[],
  library: LibraryIndex,
  naming: NamingOptions,
  { titleNames, templates }: NewNames,
  deps: Pick<DownloadSession, 'client' | 'signal'>,
): Promise<readonly FileToRetag[]> {
  const places = await findMovedPlaces(files, library, naming, titleNames, deps);
  const { output: movedIn, nameChapter } = naming;
  return files.map((each) => {
    const { title, chapter, isMoved, archive } = each;
    const { file } = archive;
    const titleName = titleNames?.get(title.id);
    const keeps = titleName === undefined ? 'people' : { movedIn };
    const renameTo = templates?.get(title.id);
    const pathOf = (named: NamedChapterFile) =>
      newPath(file, named, nameOptions(named, nameChapter, keeps, renameTo));
    return { file, chapter, title, isMoved, removes: [], titleName, pathOf, ...places.get(each) };
  });
}

/** The new places of files whose chapters the service moved. */
async function findMovedPlaces(
  files: readonly UnreadRetag[],
  library: LibraryIndex,
  request: NamingOptions,
  titleNames: NewNames['titleNames'],
  deps: Pick<DownloadSession, 'client' | 'signal'>,
): Promise<ReadonlyMap<UnreadRetag, Pick<FileToRetag, 'titleName' | 'pathOf'>>> {
  const moved = files.filter(({ isMoved }) => isMoved);
  if (moved.length === 0) return new Map();
  const titles = new Map(moved.map(({ title }) => [title.id, title]));
  // The moved files do not show where the other ones of their new title are.
  const others = library.without(new Set(moved.map(({ archive }) => archive.file)));
  const homes = await findTitleHomes(
    moved.map(({ chapter }) => chapter),
    { titles, series: [] },
    others,
    request.nameChapter(false),
    { request, ...deps },
  );
  return new Map(
    moved.map((each) => {
      const { title, archive } = each;
      const home = homes.get(title.id);
      const titleName = titleNames?.get(title.id) ?? home?.series ?? title.name;
      const isRenamed = home !== undefined && home.series !== titleName;
      const move = isRenamed ? movedAndRenamedPath : movedPath;
      const pathOf = (named: NamedChapterFile) => move(archive.file, named, request, home);
      return [each, { titleName, pathOf }];
    }),
  );
}

/** The title gets another name in the same run: the file goes where the other files of it go. */
function movedAndRenamedPath(
  file: string,
  named: NamedChapterFile,
  request: NamingOptions,
  home: TitleHome | undefined,
): ReturnType<typeof movedPath> {
  const series = home?.series ?? named.title.name;
  const inHome = {
    ...named,
    values: { ...named.values, series },
    title: { ...named.title, name: series },
  };
  const { to, root, recorded = named.recorded } = movedPath(file, inHome, request, home);
  const moved = {
    ...named,
    metadata: { ...named.metadata, series },
    written: named.written && { ...named.written, series },
    recorded,
  };
  const options = nameOptions(named, request.nameChapter, { movedIn: request.output }, undefined);
  return { ...newPath(to, moved, options), root };
}

/** What planRetag needs of a file. */
interface DescribedFile {
  readonly named: NamedChapterFile;
  /** What the service has of its chapter. */
  readonly metadata: ReturnType<typeof comicMetadata>;
  readonly merged: Parameters<typeof decideRetag>[0]['merged'];
  readonly record: Parameters<typeof decideRetag>[0]['record'];
  readonly version: number | undefined;
}

async function describeFile(
  { titleName, ...onDisk }: Omit<FileToRetag, 'isMoved' | 'pathOf'>,
  options: RetagOptions,
): Promise<DescribedFile> {
  const content = await readChapterFile(onDisk.file);
  const [removed] = onDisk.removes;
  const superseded = removed && (await readChapterFile(removed.file));
  const named = readNamedFile(content, onDisk, titleName);
  const metadata = comicMetadata(named.chapter, named.title, [], options);
  const files = [content, ...(superseded ? [superseded] : [])];
  const { force } = options;
  const merged = await mergedComicInfo(files, metadata, { force, hasSamePages: true });
  const { record, identity } = content;
  return { named, metadata, merged, record, version: identity?.version };
}

const NO_CHANGES = { changed: [], edited: [], unknown: [] } as const;

/** Undefined if what is known does not say what becomes of the file: its owner edited it, or the service has other metadata. */
function describeKnown(
  { asWritten, record, savedPages, metadata, ...known }: KnownChapter,
  { titleName, ...onDisk }: Omit<FileToRetag, 'isMoved' | 'pathOf'>,
  options: RetagOptions,
): DescribedFile | undefined {
  if (asWritten === undefined || onDisk.removes.length > 0) return undefined;
  const { chapterId = onDisk.chapter.id, version } = known;
  const content = { metadata, record: record && { ...record, metadata }, identity: { chapterId } };
  const named = readNamedFile(content, onDisk, titleName);
  const listed = comicMetadata(named.chapter, named.title, [], options);
  const hasNone = asWritten === '';
  if (!hasNone && jsonDigest(writtenMetadata(listed)) !== asWritten) return undefined;
  const pages = savedPages === undefined ? undefined : { length: savedPages };
  const recorded = record && { ...record, pages };
  const merged = hasNone ? undefined : NO_CHANGES;
  return { named, metadata: listed, merged, record: recorded, version };
}

/**
 * A file without ComicInfo.xml keeps its name. `known`: what is known of the file as it is, which is read if that does not suffice.
 * Throws StorageError.
 */
export async function planRetag(
  { titleName, isMoved, pathOf, ...onDisk }: FileToRetag,
  options: RetagOptions,
  known?: KnownChapter,
): Promise<ReturnType<typeof decideRetag>> {
  const { file } = onDisk;
  const { force, hasComparedPages, maxNameBytes } = options;
  const state = known?.state ?? (await readFileState(file));
  if (!state) throw fileChanged(file);
  const toDescribe = { ...onDisk, titleName };
  const ofKnown = known && describeKnown(known, toDescribe, options);
  const { named, metadata, merged, ...saved } =
    ofKnown ?? (await describeFile(toDescribe, options));
  const { chapter, title } = named;
  const from = resolve(file);
  const stays = { to: from, root: dirname(from), recorded: undefined };
  const path = merged ? pathOf(named) : stays;
  const onService = { ...onDisk, chapter, title, state, metadata, force, maxNameBytes, ...path };
  return decideRetag({ ...onService, ...saved, merged, isMoved, hasComparedPages });
}

export interface RetagListeners {
  /** `name`: the path that the file has now, or would get. */
  readonly onWritten: (retag: Retag, name: string) => void;
  /** A file that fails does not affect the others. */
  readonly onFailed: (retag: Retag, thrown: unknown) => void;
}

/** What became, or would become, of a file; undefined if nothing but its version changes. */
export function retaggedEvent(retag: Retag, name: string): RetaggedEvent | undefined {
  const { file, chapter, from, to, changed, edited, unknown, removes } = retag;
  const [removed] = removes;
  if (changed.length === 0 && name === from && !removed) return undefined;
  return {
    type: 'chapter-retagged',
    chapter: chapter.id,
    file,
    changed,
    kept: [...edited, ...unknown],
    ...(name !== from && { newFile: name }),
    ...(name !== to && { nameTaken: to }),
    ...(removed && { removedFile: removed.file }),
  };
}

/** Rejects with the signal's reason when aborted; what was begun by then is reported. */
export async function applyRetags(
  retags: readonly Retag[],
  listeners: RetagListeners,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const files = withoutSecondNames(retags);
  if (dryRun) await preview(files, listeners);
  else await write(files, listeners, signal);
}

async function write(
  retags: readonly Retag[],
  { onWritten, onFailed }: RetagListeners,
  signal: AbortSignal,
): Promise<void> {
  const attempt = async (retag: Retag, action: () => Promise<void>) => {
    signal.throwIfAborted();
    try {
      await action();
    } catch (thrown) {
      signal.throwIfAborted();
      onFailed(retag, thrown);
    }
  };
  const { parked, ordered } = orderRenames(retags);
  const waiting: (readonly [Retag, string])[] = [];
  for (const each of parked)
    await attempt(each, async () => {
      const name = await writeRetagged(each, [parkedPath(each)], signal);
      if (name === each.from) onWritten(each, name);
      else waiting.push([each, name]);
    });
  try {
    for (const each of ordered)
      await attempt(each, async () => {
        onWritten(each, await writeRetagged(each, retagTargets(each), signal));
      });
  } finally {
    // An interruption must not leave them under these names.
    for (const [each, name] of waiting)
      await unpark(each, name).then(
        (newName) => {
          onWritten(each, newName);
        },
        (error: unknown) => {
          onFailed(each, error);
        },
      );
  }
  // At the end: a driver in user space numbers the files anew in a folder that it finds under another spelling.
  for (const { from, to, root } of retags)
    await respellBelow(root, dirname(from), dirname(to)).catch(() => false);
}

/** Without the files that a killed run has given their new name already, and that still have the old one too. */
function withoutSecondNames(retags: readonly Retag[]): readonly Retag[] {
  const byFile = groupBy(retags, ({ chapter, state }) => `${chapter.id} ${state.dev} ${state.ino}`);
  const second = new Set<Retag>();
  for (const names of byFile.values())
    for (const each of names.length > 1 ? names : []) {
      const { chapter, from, to } = each;
      const target = { chapterId: chapter.id, path: to };
      const newNames = [to, shortIdPath(target, each), wholeIdPath(target, each)];
      for (const other of from === to ? [] : names)
        if (other.from !== from && newNames.includes(other.from)) second.add(other);
    }
  return retags.filter((retag) => !second.has(retag));
}

/** Reports the names that the files would get. */
async function preview(
  retags: readonly Retag[],
  { onWritten }: Pick<RetagListeners, 'onWritten'>,
): Promise<void> {
  const removed = retags.flatMap(({ removes }) => removes.map(({ file }) => file));
  const oldNames = new Set([...retags.map(({ from }) => from), ...removed]);
  const oldKeys = new Map([...oldNames].map((name) => [pathCollisionKey(name), name]));
  const newNames = new Set<string>();
  const isLeft = async (name: string) => {
    const oldName = oldKeys.get(pathCollisionKey(name));
    if (oldName === undefined || oldNames.has(name)) return oldName !== undefined;
    return isSameEntry(oldName, name);
  };
  const isTaken = async (name: string) =>
    newNames.has(name) || ((await lstatIfExists(name)) !== undefined && !(await isLeft(name)));
  for (const retag of retags)
    for (const name of retagTargets(retag)) {
      if (await isTaken(name)) continue;
      newNames.add(name);
      onWritten(retag, name);
      break;
    }
}

/**
 * Where a file waits until its new name is free: a name of its own beside it, since a killed run must not leave a
 * chapter under a hidden name. A later run recognises it.
 */
function parkedPath({ to, chapter, ...limit }: Retag): string {
  return wholeIdPath({ chapterId: chapter.id, path: to.split(sep).join('/') }, limit);
}

/** The names that the file may get, in this order: one that another file has is never taken from it. */
function* retagTargets({ chapter, to, ...limit }: Retag): Generator<string, never> {
  const names = candidatePaths({ chapterId: chapter.id, path: basename(to) }, limit);
  for (;;) yield join(dirname(to), names.next().value);
}

/**
 * Writes the file with its new metadata under the first free one of the names; resolves with the path. The old content
 * goes once the new file was read back. Throws StorageError, `file-changed` if the file is not as it was when the
 * retag was planned.
 */
export async function writeRetagged(
  retag: Retag,
  targets: Iterable<string>,
  signal: AbortSignal,
): Promise<string> {
  const { file, from, to, root, recorded, metadata, force, revision, newTitleId, removes } = retag;
  const planned = { file: from, pagesFile: from, state: retag.state };
  let { state } = planned;
  for (const old of removes) state = await removeSuperseded({ ...planned, state }, old, signal);
  const content = await readChapterFile(file);
  await makeSyncedFolders(root, dirname(to));
  const written = await rewriteChapterFile(file, content, {
    metadata,
    inferredVolume: inferredVolumeOf(retag.chapter),
    recorded,
    force,
    revision,
    newTitleId,
    tmpFile: temporaryName(to),
    publish: (tmpFile) => replaceAs(tmpFile, targets, { file: from, state }),
    signal,
  });
  if (written !== from) await removeEmptyFolders(dirname(from), root);
  for (const old of removes) await removeEmptyFolders(dirname(old.file), root);
  return written;
}

/** Gives a parked file its new name; resolves with the name that it has. */
async function unpark(retag: Retag, parked: string): Promise<string> {
  const state = await readFileState(parked);
  // A killed run had parked it too, and it has its name by now.
  if (!state) return retag.to;
  for (const name of retagTargets(retag))
    if (name === parked || (await publishNew(parked, name))) {
      await removeEmptyFolders(dirname(retag.from), retag.root);
      return name;
    }
  return parked;
}
