/** Titles that the service renamed: their names in a folder, and the folders that their files leave. */
import { dirname, sep } from 'node:path';
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import type { moveExtras } from '../download/extras.js';
import { readSeries, type FoundChapter } from '../library/file.js';
import { readdirIfReadable } from '../core/read-folder.js';
import { isSameName } from '../core/relative-paths.js';

/** The names of series in files, by the id of their title. */
export class UsedNames {
  readonly #names = new Map<string, Set<string>>();

  add(titleId: string, name: string | undefined): void {
    if (name === undefined) return;
    const names = this.#names.get(titleId) ?? new Set();
    // One name in two Unicode forms is not a new one.
    if (![...names].some((other) => isSameName(other, name))) names.add(name);
    this.#names.set(titleId, names);
  }

  of(titleId: string): readonly string[] {
    return [...(this.#names.get(titleId) ?? [])];
  }
}

export async function addUsedNames(
  names: UsedNames,
  archives: readonly FoundChapter[],
  chapters: ReadonlyMap<string, Pick<Chapter, 'titleId'>>,
): Promise<void> {
  for (const { file, chapterId } of archives) {
    const titleId = chapters.get(chapterId)?.titleId;
    if (titleId !== undefined) names.add(titleId, await readSeries(file));
  }
}

interface PlannedPath {
  readonly title: Title;
  readonly from: string;
  /** `from` for a file that stays. */
  readonly to: string;
}

export type LeftFolder = Parameters<typeof moveExtras>[0];

export class NewFolders {
  readonly #files = new Map<string, PlannedPath[]>();

  add(planned: PlannedPath): void {
    const folder = dirname(planned.from);
    const files = this.#files.get(folder);
    if (files) files.push(planned);
    else this.#files.set(folder, [planned]);
  }

  /** Undefined for a folder without files; one whose files go to several folders stays. */
  of(folder: string): string | undefined {
    const [target, ...others] = this.#targets(folder);
    return others.length > 0 ? folder : target;
  }

  /** The folders from which files go to another one. */
  left(): readonly LeftFolder[] {
    return [...this.#files].flatMap(([folder, files]) => {
      const targets = this.#targets(folder);
      const [title, ...otherTitles] = new Set(files.map((file) => file.title));
      const only = targets.length === 1 && otherTitles.length === 0 ? title : undefined;
      return targets
        .filter((newFolder) => newFolder !== folder)
        .map((newFolder) => ({
          folder,
          newFolder,
          root: sharedFolder(folder, newFolder),
          title: only,
        }));
    });
  }

  #targets(folder: string): readonly string[] {
    return [...new Set(this.#files.get(folder)?.map(({ to }) => dirname(to)))];
  }
}

/** The folder that contains both. */
export function sharedFolder(a: string, b: string): string {
  const segments = b.split(sep);
  const others = a.split(sep);
  const different = segments.findIndex((name, index) => name !== others[index]);
  const shared = different === -1 ? segments : segments.slice(0, different);
  return shared.join(sep) || sep;
}

/** More names of files are not listed. */
const MAX_NAMES = 10;

/** A message for each folder that a renamed title has left, and that has files which tankobon did not write. */
export async function describeFoldersLeft(folders: Iterable<string>): Promise<readonly string[]> {
  const messages: string[] = [];
  for (const folder of folders) {
    const names = (await readdirIfReadable(folder)).map(({ name }) => name).sort();
    const more = names.length > MAX_NAMES ? ', …' : '';
    const some = names.slice(0, MAX_NAMES).join(', ');
    if (names.length > 0) messages.push(`Kept: ${folder} has other files: ${some}${more}`);
  }
  return messages;
}
