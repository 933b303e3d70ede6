/**
 * Where a chapter's CBZ goes, from a template such as `{series}/{series} Ch.{chapter:03}.cbz`. Whatever the
 * metadata holds, the result is a relative path that stays in its folder and that every common file system
 * takes.
 */
import { cleanSegment, MAX_SEGMENT_BYTES } from './path-segment.js';
import { parseTemplate, renderSegment, type FieldValues } from './name-template.js';

export { NAME_FIELDS, type FieldValues } from './name-template.js';

export const CBZ_EXTENSION = '.cbz';
export const DEFAULT_NAME_TEMPLATE =
  '{series}/{series} Vol.{volume:02} Ch.{chapter:03} - {title} [{group}].cbz';

/** Gives a chapter its relative path, with `/` between folders. */
export type FormatFileName = (values: FieldValues & { readonly id: string }) => string;

/**
 * Reads a template once, for all the chapters of a run. Throws UsageError `bad-option` where it cannot be read
 * or names an unknown field, and StorageError `outside-output` where it would leave the folder.
 */
export function compileNameTemplate(template: string): FormatFileName {
  const withoutExtension = template.replace(/\.cbz$/i, '');
  const segments = parseTemplate(withoutExtension);
  return (values) => {
    const rendered = segments.map((segment) => cleanSegment(renderSegment(segment, values)));
    const folders = rendered.slice(0, -1).filter((segment) => segment !== '');
    const name = rendered.at(-1) ?? '';
    return [...folders, withExtension(name === '' ? cleanSegment(values.id) : name)].join('/');
  };
}

/** A path and the chapter that it is for. */
export interface PathCandidate {
  readonly chapterId: string;
  readonly path: string;
}

/**
 * Sees to it that no two chapters get the same path, also on file systems that take `A` and `a`, or two ways
 * of writing `é`, for the same. All chapters that want one path get part of their id behind it, so that the
 * answer does not depend on their order. `taken` are paths that belong to other chapters already.
 * Gives the paths in the order of `wanted`, where each chapter stands once.
 */
export function distinctPaths(
  wanted: readonly PathCandidate[],
  taken: Iterable<string> = [],
): readonly string[] {
  const used = new Set([...taken].map(pathCollisionKey));
  const wishes = new Map<string, number>();
  for (const { path } of wanted) {
    const key = pathCollisionKey(path);
    wishes.set(key, (wishes.get(key) ?? 0) + 1);
  }
  const isFree = ({ path }: PathCandidate) =>
    !used.has(pathCollisionKey(path)) && wishes.get(pathCollisionKey(path)) === 1;
  const given = new Map(wanted.filter(isFree).map(({ chapterId, path }) => [chapterId, path]));
  for (const path of given.values()) used.add(pathCollisionKey(path));
  const sharing = wanted.filter(({ chapterId }) => !given.has(chapterId));
  for (const wish of sharing.sort((a, b) => (a.chapterId < b.chapterId ? -1 : 1))) {
    const path = firstFree(wish, used);
    used.add(pathCollisionKey(path));
    given.set(wish.chapterId, path);
  }
  return wanted.map(({ chapterId, path }) => given.get(chapterId) ?? path);
}

function firstFree(wanted: PathCandidate, used: ReadonlySet<string>): string {
  for (const path of candidatePaths(wanted)) {
    if (path !== wanted.path && !used.has(pathCollisionKey(path))) return path;
  }
  return wanted.path;
}

/** The path itself, then the paths with a mark that tells this chapter from others: its short id, its id, `id 2` … */
export function* candidatePaths({ chapterId, path }: PathCandidate): Generator<string, never> {
  yield path;
  yield withMark(path, chapterId.slice(0, SHORT_ID));
  yield withMark(path, chapterId);
  for (let count = 2; ; count += 1) yield withMark(path, `${chapterId} ${count}`);
}

/** The same for two paths that some file system takes for one. */
export function pathCollisionKey(path: string): string {
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

const SHORT_ID = 8;

function withMark(path: string, mark: string): string {
  const folderEnd = path.lastIndexOf('/') + 1;
  const name = path.slice(folderEnd).slice(0, -CBZ_EXTENSION.length);
  return path.slice(0, folderEnd) + withExtension(name, ` (${cleanSegment(mark)})`);
}

/** Puts the mark and the extension behind a name, cutting the name where the whole would be too long. */
function withExtension(name: string, mark = ''): string {
  const ending = mark + CBZ_EXTENSION;
  return cleanSegment(name, MAX_SEGMENT_BYTES - Buffer.byteLength(ending)) + ending;
}
