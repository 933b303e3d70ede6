/**
 * Whether a chapter file is as tankobon wrote it and where tankobon put it. A file that its owner or another program
 * edited, renamed or moved, and one that was adopted, is not moved away by a subscription.
 */
import { dirname, resolve, sep } from 'node:path';
import { maxNameBytes } from '../core/file-system.js';
import { foldersOf, folderMove, isSameName, pathBelow } from '../core/relative-paths.js';
import { shortIdPath, wholeIdPath } from '../config/names.js';
import { mergedComicInfo, readChapterFile } from '../library/chapter-file.js';
import { checkFile } from '../library/damage.js';
import { readFileChapters, type FoundChapter } from '../library/file.js';

/** Reads the whole file. False for one that is damaged or cannot be read. */
export async function isUnedited(file: string, signal: AbortSignal): Promise<boolean> {
  const { state } = await checkFile(file, { signal });
  if (state !== 'whole') return false;
  const content = await readChapterFile(file).catch(() => undefined);
  const { record, comicInfo, entries = [] } = content ?? {};
  if (!content || !record?.pages || record.adopted || record.acceptedPages) return false;
  if (entries.length !== record.pages.length) return false;
  if (!record.metadata || comicInfo === undefined) return !record.metadata && !comicInfo;
  const comic = { ...record.metadata, pages: [] };
  const merged = await mergedComicInfo([content], comic, { force: false, hasSamePages: true });
  return merged?.edited.length === 0 && merged.unknown.length === 0;
}

/**
 * The files of one title, in one output folder, that have the names of their records, and are where most of them are: an
 * owner who moves the folder of a title moves none of its files in it. Where as many are elsewhere, only those that were
 * not moved.
 */
export async function filesInPlace(
  archives: readonly FoundChapter[],
  output: string,
): Promise<ReadonlySet<string>> {
  // By where their folders are in place of those of their records, as text.
  const byMove = new Map<string, string[]>();
  const limit = { maxNameBytes: await maxNameBytes(output) };
  for (const { file, chapterId } of archives) {
    const [chapter] = await readFileChapters(file);
    const path = chapter?.record?.path;
    if (!path) continue;
    const ofId = { chapterId, path };
    const names = [path, shortIdPath(ofId, limit), wholeIdPath(ofId, limit)];
    const actual = pathBelow(output, resolve(file));
    if (!names.some((name) => isSameName(lastOf(name), lastOf(actual)))) continue;
    const { from, to } = folderMove(foldersOf(path), dirname(resolve(file)).split(sep));
    const move = moveText(from, to);
    byMove.set(move, [...(byMove.get(move) ?? []), file]);
  }
  const [most = [], next = []] = [...byMove.values()].sort((a, b) => b.length - a.length);
  const notMoved = byMove.get(moveText([], resolve(output).split(sep))) ?? [];
  return new Set(most.length > next.length ? most : notMoved);
}

function moveText(from: readonly string[], to: readonly string[]): string {
  return `${from.join('/')}\n${to.join('/')}`;
}

const lastOf = (path: string): string => path.split('/').at(-1) ?? '';
