/**
 * Brings the metadata of chapter files up to date: asks the service by the hundred, and rewrites ComicInfo.xml and the
 * names of the files whose metadata changed. Pages are not downloaded. Only tankobon's own files are changed, and no
 * links are followed.
 */
import { opendir } from 'node:fs/promises';
import { fetchChapters } from '../api/chapters.js';
import type { ServiceClient } from '../api/client.js';
import { fetchTitles, type Title } from '../api/titles.js';
import type { ExistingArchive, LibraryIndex } from '../cbz/library-index.js';
import { scanLibrary } from '../cbz/scan-library.js';
import { keptReason } from '../cbz/ownership.js';
import { systemClock } from '../core/clock.js';
import { thrownMessage, UsageError, type TankobonError } from '../core/errors.js';
import { isSystemError, toStorageError } from '../core/files.js';
import { toTankobonError } from '../core/system-errors.js';
import { removeLeftovers } from '../download/leftovers.js';
import {
  isRetag,
  planRetag,
  type Retag,
  type RetagOptions,
  type UnchangedChapter,
} from '../download/retag-chapter.js';
import {
  previewRetags,
  retaggedChapter,
  writeRetags,
  type RetaggedChapter,
} from '../download/write-retags.js';
import { damagedChapter } from '../formats/source-chapter.js';
import { fieldsById, type ChapterFields } from '../selection/chapter-fields.js';
import { tidyFoldersLeft, type MovedFile } from './folders-left.js';
import { newTitleNames, readUsedNames, UsedNames } from './title-names.js';

export interface RetagRequest extends Omit<RetagOptions, 'titleNames' | 'hasComparedPages'> {
  readonly folder: string;
  readonly dryRun: boolean;
  /** Whether titles that the service renamed get their new name and folder. */
  readonly renameTitles: boolean;
}

export type RetagEvent =
  | (ChapterFields & RetaggedChapter)
  | (ChapterFields & {
      /** The file stays as it is. */
      readonly type: 'chapter-kept';
      readonly chapter: string;
      readonly file: string;
      /** The names of the metadata that its owner edited, and that the service has otherwise. */
      readonly kept: readonly string[];
    })
  | {
      readonly type: 'chapter-skipped';
      readonly chapter: string;
      readonly file: string;
      /** Another program wrote the file. */
      readonly reason: 'other-program';
      readonly message: string;
    }
  | (ChapterFields & {
      readonly type: 'chapter-failed';
      /** Undefined if the file cannot be read. */
      readonly chapter?: string;
      readonly file: string;
      readonly reason: TankobonError['code'];
      readonly message: string;
    })
  | {
      readonly type: 'retag-summary';
      readonly changed: number;
      readonly unchanged: number;
      /** Files with metadata that the service has otherwise and that stays, since their owner edited it. */
      readonly edited: number;
      /** How many of the changed ones have a new name that another file has. */
      readonly nameTaken: number;
      /** Chapters that the service does not list any more. */
      readonly notListed: number;
      /** Files of other programs. */
      readonly skipped: number;
      /** Symbolic links, which are not followed. */
      readonly links: number;
      readonly failed: number;
    };

interface RetagDeps {
  readonly client: ServiceClient;
  readonly observe: (event: RetagEvent) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Throws UsageError `nothing-to-bind` for a folder without chapters, and errors of the service. */
export async function retag(
  request: RetagRequest,
  deps: RetagDeps,
): Promise<readonly TankobonError[]> {
  await assertReadable(request.folder);
  const library = await scanLibrary(request.folder, { signal: deps.signal });
  if (!request.dryRun) await removeLeftovers(library.leftoverFiles, systemClock);
  return new RetagRun(request, deps).run(library);
}

class RetagRun {
  readonly #errors: TankobonError[] = [];
  /** Only these: the new folder of a file that could not be moved may be a link. */
  readonly #moved: MovedFile[] = [];
  #fields: ReadonlyMap<string, ChapterFields> = new Map();
  readonly #count = { changed: 0, unchanged: 0, edited: 0, nameTaken: 0, notListed: 0, skipped: 0 };

  constructor(
    private readonly request: RetagRequest,
    private readonly deps: RetagDeps,
  ) {}

  async run(library: LibraryIndex): Promise<readonly TankobonError[]> {
    const links = new Set(library.links);
    const archives = library.archives.filter(({ isBound }) => !isBound);
    if (archives.length === 0 && library.damaged.length === 0)
      throw nothingToRetag('No chapters found', this.request.folder);
    for (const { file, readError, cause } of library.damaged)
      if (!links.has(file)) this.#fail(file, damagedChapter(file, cause ?? readError));
    for (const { chapterId: chapter, file, ownership } of archives)
      if (ownership === 'foreign' && !links.has(file)) {
        this.#count.skipped += 1;
        const message = keptReason(file, 'foreign');
        const reason = 'other-program';
        this.deps.observe({ type: 'chapter-skipped', chapter, file, reason, message });
      }
    const retags = await this.#plan(archives.filter(({ ownership }) => ownership === 'own'));
    if (this.request.dryRun)
      for (const [each, name] of await previewRetags(retags)) this.#report(each, name);
    else await this.#write(retags);
    if (this.request.renameTitles && !this.request.dryRun) await this.#tidyFoldersLeft();
    const counts = { ...this.#count, links: links.size, failed: this.#errors.length };
    this.deps.observe({ type: 'retag-summary', ...counts });
    return this.#errors;
  }

  async #plan(archives: readonly ExistingArchive[]): Promise<readonly Retag[]> {
    const { client, warn, signal } = this.deps;
    const ids = archives.map(({ chapterId }) => chapterId);
    const chapters = await fetchChapters(client, ids, { signal, warn });
    const titleIds = [...chapters.values()].flatMap(({ titleId }) => titleId ?? []);
    const { titles } = await fetchTitles(client, titleIds, { signal, warn });
    this.#fields = fieldsById([...chapters.values()], titles);
    const titleNames = this.request.renameTitles
      ? newTitleNames(titles, await readUsedNames(archives, chapters))
      : undefined;
    const usedNames = new UsedNames();
    const retags: Retag[] = [];
    for (const { file, chapterId } of archives) {
      const chapter = chapters.get(chapterId);
      const title = titles.get(chapter?.titleId ?? '');
      // Without its title, a chapter would lose the series.
      if (!chapter || !title) this.#count.notListed += 1;
      else
        await this.#attempt(file, chapterId, async () => {
          const options = { ...this.request, titleNames, hasComparedPages: false };
          const planned = await planRetag({ file, chapter, title }, options);
          usedNames.add(title.id, planned.title.name);
          if (isRetag(planned)) retags.push(planned);
          else this.#keep(file, chapterId, planned);
        });
    }
    if (!titleNames) this.#warnOfRenamed(titles, usedNames);
    return retags;
  }

  #warnOfRenamed(titles: ReadonlyMap<string, Title>, usedNames: UsedNames): void {
    for (const [id, name] of newTitleNames(titles, usedNames)) {
      const used = usedNames.of(id).join('" and "');
      this.deps.warn(`"${used}" is called "${name}" by now; --rename-titles renames its folder`);
    }
  }

  #keep(file: string, chapter: string, { edited: kept }: UnchangedChapter): void {
    this.#count.unchanged += 1;
    if (kept.length === 0) return;
    this.#count.edited += 1;
    const fields = this.#fields.get(chapter);
    this.deps.observe({ type: 'chapter-kept', chapter, file, kept, ...fields });
  }

  /** They have files that tankobon did not write, or books. */
  async #tidyFoldersLeft(): Promise<void> {
    try {
      for (const message of await tidyFoldersLeft(this.#moved)) this.deps.warn(message);
    } catch (error) {
      this.deps.warn(`Covers were not copied: ${thrownMessage(error)}`);
    }
  }

  async #write(retags: readonly Retag[]): Promise<void> {
    const onWritten = (each: Retag, name: string) => {
      this.#report(each, name);
    };
    const onFailed = ({ file, chapter }: Retag, thrown: unknown) => {
      this.#fail(file, thrown, chapter.id);
    };
    await writeRetags(retags, { onWritten, onFailed }, this.deps.signal);
  }

  #report(retag: Retag, name: string): void {
    const { chapter, from, to, edited } = retag;
    this.#count.changed += 1;
    this.#moved.push({ from, to: name });
    if (edited.length > 0) this.#count.edited += 1;
    if (name !== to) this.#count.nameTaken += 1;
    this.deps.observe({ ...retaggedChapter(retag, name), ...this.#fields.get(chapter.id) });
  }

  /** A file that fails does not affect the others. */
  async #attempt(file: string, chapter: string, action: () => Promise<void>): Promise<void> {
    this.deps.signal.throwIfAborted();
    try {
      await action();
    } catch (thrown) {
      this.deps.signal.throwIfAborted();
      this.#fail(file, thrown, chapter);
    }
  }

  #fail(file: string, thrown: unknown, chapter?: string): void {
    const error = toTankobonError(toStorageError(thrown, file));
    const { code: reason, message } = error;
    const failed = { type: 'chapter-failed' as const, file, reason, message };
    const named = chapter !== undefined && { chapter, ...this.#fields.get(chapter) };
    this.deps.observe({ ...failed, ...named });
    this.#errors.push(error);
  }
}

/** Without it, a folder that is missing or cannot be read would count as empty. */
async function assertReadable(folder: string): Promise<void> {
  try {
    await (await opendir(folder)).close();
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) throw error;
    if (error.code === 'ENOENT') throw nothingToRetag('Not found', folder, error);
    throw nothingToRetag(error.code === 'ENOTDIR' ? 'Not a folder' : 'Cannot read', folder, error);
  }
}

function nothingToRetag(problem: string, folder: string, cause?: unknown): UsageError {
  const hint = 'Name a folder with chapters that tankobon saved.';
  return new UsageError('nothing-to-bind', `${problem}: ${folder}`, { cause, hint });
}
