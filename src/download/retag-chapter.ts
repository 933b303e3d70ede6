/** What changed in the metadata of one chapter file, and the file with the new metadata and name. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import type { Chapter } from '../api/chapters.js';
import type { Title } from '../api/titles.js';
import type { ComicFields, ComicMetadata } from '../cbz/comic-info.js';
import type { ComicInfoMerge } from '../cbz/comic-info-merge.js';
import { readComicInfo, type ChapterMetadata } from '../cbz/comic-info-reader.js';
import { candidatePaths, shortIdPath, wholeIdPath, type FormatFileName } from '../cbz/file-name.js';
import {
  fileChanged,
  isUnchanged,
  publishAs,
  readFileState,
  replaceUnchanged,
  type FileState,
} from '../cbz/ownership.js';
import { plainTitle } from '../cbz/numbered-title.js';
import type { ChapterRecord } from '../cbz/record.js';
import { makeSyncedFolders, removeEmptyFolders, removeFile, temporaryName } from '../core/files.js';
import { publishNew } from '../core/publish.js';
import { comicMetadata, inferredVolumeOf, nameValues } from './comic-metadata.js';
import {
  mergedComicInfo,
  readChapterFile,
  rewriteChapterFile,
  type ChapterFileContent,
} from './chapter-file.js';

export interface RetagOptions extends ComicFields {
  /** The templates that may have named the files. */
  readonly nameTemplates: readonly FormatFileName[];
  /** The names of titles to rename, by id: all others keep the names that their files have. */
  readonly titleNames?: ReadonlyMap<string, string> | undefined;
  /** Edits of the owner are replaced by what the service has. */
  readonly force: boolean;
  /** The pages were compared with those of the service: the file gets the chapter's version. */
  readonly hasComparedPages: boolean;
}

interface ChapterOnDisk {
  readonly file: string;
  readonly chapter: Chapter;
  readonly title: Title;
}

/** What becomes of the metadata of a file. */
export type MetadataChange = Omit<ComicInfoMerge, 'xml'>;

/** A file whose metadata or name changes. */
export interface Retag extends ChapterOnDisk, MetadataChange {
  /** The file, as an absolute path. */
  readonly from: string;
  /** Its new path, absolute; `from` if the name stays. */
  readonly to: string;
  /** The folder that contains the path by the template. */
  readonly root: string;
  readonly metadata: Omit<ComicMetadata, 'pages'>;
  readonly state: FileState;
  readonly force: boolean;
  readonly compared: Chapter | undefined;
}

/** A file that stays as it is, also where its owner's edits differ from the service. */
export interface UnchangedChapter {
  readonly edited: readonly string[];
  /** Has the name that is in the file. */
  readonly title: Title;
}

export function isRetag(planned: Retag | UnchangedChapter): planned is Retag {
  return 'to' in planned;
}

/** A file without ComicInfo.xml gets none, and keeps its name. Throws StorageError. */
export async function planRetag(
  onDisk: ChapterOnDisk,
  options: RetagOptions,
): Promise<Retag | UnchangedChapter> {
  const { file, chapter } = onDisk;
  const state = await readFileState(file);
  if (!state) throw fileChanged(file);
  const content = await readChapterFile(file);
  const { force, hasComparedPages, nameTemplates } = options;
  // The owner may have edited what the name was made of.
  const known = [await readComicInfo(content.comicInfo ?? ''), content.record?.metadata ?? {}];
  const newTitleName = options.titleNames?.get(onDisk.title.id);
  const titleName = newTitleName ?? (content.record?.metadata ?? known[0])?.series;
  const title = { ...onDisk.title, name: titleName ?? onDisk.title.name };
  const retagged = { ...onDisk, title, chapter: withInferredVolume(chapter, content.record) };
  const metadata = comicMetadata(retagged.chapter, title, [], options);
  const merged = await mergedComicInfo(content, metadata, { force, hasSamePages: true });
  const { changed, edited, unknown } = merged ?? UNCHANGED;
  const from = resolve(file);
  const keepsPeople = newTitleName === undefined;
  const named = merged
    ? newName(retagged, known, keepsPeople, nameTemplates)
    : { to: from, root: dirname(from) };
  const compared = hasComparedPages && !isUpToDate(content, chapter) ? chapter : undefined;
  if (changed.length === 0 && named.to === from && !compared) return { edited, title };
  const change = { changed, edited, unknown, metadata, force, compared };
  return { ...retagged, from, ...named, ...change, state };
}

/** A volume that a download inferred stays until the service names one. */
function withInferredVolume(chapter: Chapter, record: ChapterRecord | undefined): Chapter {
  const volume = record?.inferredVolume;
  if (chapter.volume !== undefined || volume === undefined) return chapter;
  return { ...chapter, volume, isVolumeInferred: true };
}

const UNCHANGED: MetadataChange = { changed: [], edited: [], unknown: [] };

function isUpToDate({ record }: ChapterFileContent, { version, updatedAt }: Chapter): boolean {
  return record?.version === version && record.updatedAt?.getTime() === updatedAt?.getTime();
}

/**
 * A file that was renamed by hand keeps its name: only one that a template gave, or parkedPath, is changed. A name with
 * the chapter's short id, where another file had the plain one, keeps the id. A folder that was renamed by hand stays.
 */
function newName(
  { file, chapter, title }: ChapterOnDisk,
  known: readonly ChapterMetadata[],
  keepsPeople: boolean,
  templates: readonly FormatFileName[],
): { readonly to: string; readonly root: string } {
  const now = nameValues(chapter, title);
  const from = resolve(file);
  const path = from.split(sep).join('/');
  const withId = (name: string) => ({ chapterId: chapter.id, path: name });
  const titled = known.flatMap((each) => [each, { ...each, title: plainTitle(each.title) }]);
  const values = titled.flatMap(({ writers, pencillers, ...metadata }) => {
    const then = { ...now, ...oldValues(metadata) };
    const people = { author: writers?.join(', '), artist: pencillers?.join(', ') };
    return [
      [{ ...then, ...people }, keepsPeople ? { ...now, ...people } : now] as const,
      [then, now] as const,
    ];
  });
  // Formatting all of them takes longer than reading the file, and most files have the first one.
  const renames = templates.flatMap((format) =>
    values.flatMap(([then, after]) => [
      { before: () => format(then), after: () => format(after) },
      { before: () => wholeIdPath(withId(format(after))), after: () => format(after) },
      {
        before: () => shortIdPath(withId(format(then))),
        after: () => shortIdPath(withId(format(after))),
      },
    ]),
  );
  for (const inFolder of [(name: string) => name, basename])
    for (const rename of renames) {
      const oldName = inFolder(rename.before());
      if (!path.endsWith(`/${oldName}`)) continue;
      const root = path.slice(0, -oldName.length);
      return { to: join(root, inFolder(rename.after())), root: join(root) };
    }
  return { to: from, root: dirname(from) };
}

function oldValues({ series, volume, number, title, translators = [] }: ChapterMetadata) {
  return { series, volume, chapter: number, title, group: translators.join(' + ') };
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

/**
 * Writes the file with its new metadata under the first free one of the names; resolves with the path. The old file is
 * removed once the new one was read back. Throws StorageError, `file-changed` if the file is not as it was when the
 * retag was planned.
 */
export async function writeRetagged(
  retag: Retag,
  targets: Iterable<string>,
  signal: AbortSignal,
): Promise<string> {
  const { file, from, to, root, metadata, force, compared } = retag;
  const content = await readChapterFile(file);
  await makeSyncedFolders(root, dirname(to));
  return rewriteChapterFile(file, content, {
    metadata,
    inferredVolume: inferredVolumeOf(retag.chapter),
    force,
    compared,
    tmpFile: temporaryName(to),
    publish: async (tmpFile) => {
      for (const target of targets) {
        if (target === from) break;
        if (await isUnchanged(target, retag.state)) {
          // Some file systems find the file under another spelling of its name too.
          if (!(await areTwoNames(from, target))) break;
          // A run that was killed while it renamed the file left it under both.
          if (!(await replaceUnchanged(tmpFile, target, retag.state))) throw fileChanged(target);
          await removeFile(from);
          return target;
        }
        if (!(await publishAs(tmpFile, target, retag))) continue;
        await removeEmptyFolders(dirname(file), root);
        return target;
      }
      if (await replaceUnchanged(tmpFile, file, retag.state)) return from;
      throw fileChanged(file);
    },
    signal,
  });
}

/** Whether the folder has both names. False for two folders, which may be one under two spellings. */
async function areTwoNames(file: string, other: string): Promise<boolean> {
  if (dirname(file) !== dirname(other)) return false;
  const names = await readdir(dirname(file));
  return names.includes(basename(file)) && names.includes(basename(other));
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
