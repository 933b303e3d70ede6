/** What changed in the metadata of one chapter file, and the file with the new metadata and name. */
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Chapter } from '../service/chapters.js';
import type { ComicFields } from '../library/comic-info.js';
import { candidatePaths, shortIdPath, wholeIdPath, type NameTemplate } from '../library/names.js';
import { fileChanged, readFileState, replaceAs } from '../core/file-state.js';
import { parseIdentityComment } from '../library/mark.js';
import type { MetadataChange, Retag } from '../plan/change.js';
import { comicMetadata } from '../library/comic-info.js';
import { groupBy } from '../core/group-by.js';
import { makeSyncedFolders, removeEmptyFolders, temporaryName } from '../core/files.js';
import { publishNew } from '../core/publish.js';
import { mayHaveChanged, type SavedChapter } from '../plan/chapter-changes.js';
import {
  mergedComicInfo,
  readChapterFile,
  rewriteChapterFile,
  type ChapterFileContent,
} from './chapter-file.js';
import { newPath } from '../plan/paths.js';
import { readNamedFile } from './name-files.js';
import { inferredVolumeOf } from './comic-metadata.js';
import { removeSuperseded } from './superseded-file.js';

export interface RetagOptions extends ComicFields {
  /** The templates that may have named the files. */
  readonly nameTemplates: readonly NameTemplate[];
  /** The names of titles to rename, by id: all others keep the names that their files have. */
  readonly titleNames?: ReadonlyMap<string, string> | undefined;
  /** The folder in which titles are renamed. */
  readonly folder?: string;
  /** Edits of the owner are replaced by what the service has. */
  readonly force: boolean;
  /** The pages were compared with those of the service: the file gets the chapter's version and time. */
  readonly hasComparedPages: boolean;
}

type ChapterOnDisk = Pick<Retag, 'file' | 'chapter' | 'title' | 'removes'>;

/** What is reported of a file that stays as it is: nothing, unless the service has other metadata than its owner. */
export function keptInUnchanged({ edited, unknown }: Pick<Retag, 'edited' | 'unknown'>) {
  return edited.length > 0 ? [...edited, ...unknown] : [];
}

/** A file without ComicInfo.xml gets none, and keeps its name. Throws StorageError. */
export async function planRetag(
  onDisk: ChapterOnDisk,
  options: RetagOptions,
): Promise<MetadataChange> {
  const { file, chapter } = onDisk;
  const state = await readFileState(file);
  if (!state) throw fileChanged(file);
  const content = await readChapterFile(file);
  const [removed] = onDisk.removes;
  const superseded = removed && (await readChapterFile(removed.file));
  const { force, hasComparedPages, nameTemplates } = options;
  const newTitleName = options.titleNames?.get(onDisk.title.id);
  const named = await readNamedFile(content, onDisk, newTitleName);
  const { title } = named;
  const retagged = { ...onDisk, chapter: named.chapter, title };
  const metadata = comicMetadata(retagged.chapter, title, [], options);
  const merged = await mergedComicInfo(content, metadata, {
    force,
    hasSamePages: true,
    superseded,
  });
  const { changed, edited, unknown } = merged ?? UNCHANGED;
  const from = resolve(file);
  const isRenamed = newTitleName !== undefined;
  const movedIn = isRenamed ? options.folder : undefined;
  const nameOptions = {
    templates: nameTemplates,
    keepsPeople: !isRenamed,
    // `--update` does not see all files of the title.
    keepsTitleFolders: hasComparedPages,
    movedIn,
  };
  const stays = { to: from, root: dirname(from), recorded: undefined };
  const path = merged ? newPath(file, named, nameOptions) : stays;
  const revision = hasComparedPages ? chapter : withOldTime(chapter, content);
  const isNewRevision = revision !== undefined && !isUpToDate(content, revision);
  const mayHaveOtherPages = !hasComparedPages && mayHaveChanged(savedIn(content), chapter);
  if (changed.length === 0 && path.to === from && !isNewRevision && !removed)
    return { kind: 'keep', file, why: 'up-to-date', edited, unknown, title, mayHaveOtherPages };
  const written = { metadata, force, revision: isNewRevision ? revision : undefined };
  const change = { changed, edited, unknown, mayHaveOtherPages, ...written };
  return { kind: 'retag', ...retagged, from, ...path, ...change, state };
}

/** The time stays where pages were not compared: from its difference, `--update` knows that it has to compare them. */
function withOldTime(chapter: Chapter, { record }: ChapterFileContent): Chapter | undefined {
  const { version = 0, updatedAt } = record ?? {};
  const isLater = (chapter.updatedAt?.getTime() ?? 0) > (updatedAt?.getTime() ?? Infinity);
  return isLater && chapter.version > version ? { ...chapter, updatedAt } : undefined;
}

function savedIn({ record, comment }: ChapterFileContent): SavedChapter {
  return record ?? { version: parseIdentityComment(comment)?.version };
}

const UNCHANGED: Pick<Retag, 'changed' | 'edited' | 'unknown'> = {
  changed: [],
  edited: [],
  unknown: [],
};

function isUpToDate({ record }: ChapterFileContent, { version, updatedAt }: Chapter): boolean {
  return record?.version === version && record.updatedAt?.getTime() === updatedAt?.getTime();
}

/**
 * Where a file waits until its new name is free: a name of its own beside it, since a killed run must not leave a
 * chapter under a hidden name. A later run recognises it.
 */
export function parkedPath({ to, chapter }: Retag): string {
  return wholeIdPath({ chapterId: chapter.id, path: to.split(sep).join('/') });
}

/** The names that the file may get, in this order: one that another file has is never taken from it. */
export function* retagTargets({ chapter, to }: Retag): Generator<string, never> {
  const names = candidatePaths({ chapterId: chapter.id, path: basename(to) });
  for (;;) yield join(dirname(to), names.next().value);
}

/** Without the files that a killed run has given their new name already, and that still have the old one too. */
export function withoutSecondNames(retags: readonly Retag[]): readonly Retag[] {
  const byFile = groupBy(retags, ({ chapter, state }) => `${chapter.id} ${state.dev} ${state.ino}`);
  const second = new Set<Retag>();
  for (const names of byFile.values())
    for (const { chapter, from, to } of names.length > 1 ? names : []) {
      const target = { chapterId: chapter.id, path: to };
      const newNames = [to, shortIdPath(target), wholeIdPath(target)];
      for (const other of from === to ? [] : names)
        if (other.from !== from && newNames.includes(other.from)) second.add(other);
    }
  return retags.filter((retag) => !second.has(retag));
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
  const { file, from, to, root, recorded, metadata, force, revision, removes } = retag;
  const planned = { file: from, state: retag.state };
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
    tmpFile: temporaryName(to),
    publish: (tmpFile) => replaceAs(tmpFile, targets, { file: from, state }),
    signal,
  });
  if (written !== from) await removeEmptyFolders(dirname(from), root);
  for (const old of removes) await removeEmptyFolders(dirname(old.file), root);
  return written;
}

/** Gives a parked file its new name; resolves with the name that it has. */
export async function unpark(retag: Retag, parked: string): Promise<string> {
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
