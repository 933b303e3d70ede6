/** Which titles the archives of a library belong to: they name it, or it is known from the releases of a title. */
import type { LibraryIndex } from '../../library/scan.js';
import type { FoundChapter } from '../../library/file.js';

export class ArchiveOwners {
  /** The titles of chapters by what the service lists, which counts more than what archives say. */
  readonly #titles = new Map<string, string>();
  readonly #chapters = new Map<string, string[]>();

  constructor(private readonly library: LibraryIndex) {}

  add(chapterId: string, titleId: string): void {
    this.#titles.set(chapterId, titleId);
    const chapters = this.#chapters.get(titleId);
    if (chapters) chapters.push(chapterId);
    else this.#chapters.set(titleId, [chapterId]);
  }

  ownerOf({ chapterId, titleId }: FoundChapter): string | undefined {
    return this.#titles.get(chapterId) ?? titleId;
  }

  /** Sorted by path. */
  archivesOf(titleId: string): readonly FoundChapter[] {
    const listed = (this.#chapters.get(titleId) ?? []).flatMap((id) => this.library.copiesOf(id));
    const archives = new Set([...listed, ...this.library.ofTitle(titleId)]);
    return [...archives]
      .filter((archive) => this.ownerOf(archive) === titleId)
      .sort((a, b) => (a.file < b.file ? -1 : 1));
  }

  /** The archives of which nothing says to which title they belong. */
  get unowned(): readonly FoundChapter[] {
    return this.library.withoutTitle.filter((archive) => this.ownerOf(archive) === undefined);
  }
}
