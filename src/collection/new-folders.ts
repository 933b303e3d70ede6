/** Where the files of each folder go, and of which titles they are. */
import { dirname, sep } from 'node:path';
import type { Title } from '../service/titles.js';

interface PlannedPath {
  readonly title: Title;
  readonly from: string;
  /** `from` for a file that stays. */
  readonly to: string;
}

export interface LeftFolder {
  readonly folder: string;
  readonly newFolder: string;
  /** A folder above both. */
  readonly root: string;
  /** The title of all files in the folder; undefined if they are of several, or if some of them go elsewhere. */
  readonly title: Title | undefined;
}

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
