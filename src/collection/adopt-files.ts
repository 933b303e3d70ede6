/**
 * Takes over chapters that other programs saved: recognizes them and, on demand, gives them the record and the mark of
 * tankobon, so that they are neither downloaded again nor unknown to the other commands.
 */
import { COMIC_LABELS } from '../config/containers.js';
import { reusableBuffer } from '../core/zip-file.js';
import { UsageError, type TankobonError } from '../core/errors.js';
import { damagedChapter } from '../library/damage.js';
import { systemClock } from '../core/clock.js';
import { removeLeftovers } from '../download/leftovers.js';
import {
  failedEvent,
  NO_FILES,
  notComicEvent,
  recognizedEvent,
  toFileError,
  unrecognizedEvent,
} from './adopt-events.js';
import type { AdoptEvent } from '../events/adopt-events.js';
import { readFileState } from '../core/file-state.js';
import { KnownArchives } from './known-archives.js';
import { adoptFile, restoreFile } from './adopt-file.js';
import { addAdopted, type AdoptedTitles } from './adopted-titles.js';
import { unreadableFolderError } from '../core/read-folder.js';
import { formatList } from '../core/human-format.js';
import {
  findAdoptableFiles,
  listFolders,
  type FoundFiles,
  type KnownFile,
} from './adoptable-files.js';
import { assertReadableFolder, linksHint } from './readable-folder.js';
import { recognizeByPages } from './recognize-pages.js';
import {
  recognizeByNames,
  type RecognizeDeps,
  type Recognized,
  type Unrecognized,
} from './recognize-files.js';

const HINT = `Pass folders with ${formatList(COMIC_LABELS, 'or')} files, or with --pack folders of images.`;

interface AdoptRequest {
  readonly folders: readonly string[];
  /** If not empty, chapters whose names say no language are in one of them. */
  readonly languages: readonly string[];
  readonly apply: boolean;
  readonly pack: boolean;
}

export interface AdoptDeps extends RecognizeDeps {
  readonly stateFolder: string;
  readonly observe: (event: AdoptEvent) => void;
  /** Asks for each file; resolves with those that were chosen. */
  readonly choose?: ((left: readonly Unrecognized[]) => Promise<readonly Recognized[]>) | undefined;
  /** Adds chapters to the history of downloads. */
  readonly remember: (chapterIds: readonly string[]) => Promise<void>;
}

/** The titles of what was adopted, and the errors of files and folders. */
export interface AdoptResult {
  readonly titles: AdoptedTitles;
  readonly errors: readonly TankobonError[];
  readonly recognized: number;
}

/** Throws UsageError `nothing-to-bind` for folders without archives, and errors of the service. */
export async function adopt(request: AdoptRequest, deps: AdoptDeps): Promise<AdoptResult> {
  const { folders, pack: withFolders, apply, languages } = request;
  for (const folder of folders) await assertReadableFolder(folder, HINT);
  const archives = KnownArchives.open(deps.stateFolder, folders);
  const options = { withFolders, archives, signal: deps.signal };
  const found = await findAdoptableFiles(folders, options);
  const { adoptable, already, unreadable } = found;
  const others = [...found.withoutImages, ...found.otherArchives];
  assertFound([adoptable, already, unreadable, others].flat().length, folders, found.links);
  if (apply) await removeLeftovers(found.leftovers, systemClock);
  const run = new AdoptRun(request, deps, archives);
  for (const { file, cause } of unreadable) run.fail(file, damagedChapter(file, cause));
  for (const each of found.unreadableFolders) run.fail(each.folder, unreadableFolderError(each));
  try {
    if (apply) await run.takeKnown(already);
    const left: Unrecognized[] = [];
    for await (const named of recognizeByNames(adoptable, languages, deps)) {
      await run.take(named.recognized);
      for (const each of named.left) left.push(each);
    }
    const compared = await recognizeByPages(left, deps);
    await run.take(compared.recognized);
    const chosen = (await deps.choose?.(compared.left)) ?? [];
    await run.take(chosen);
    const taken = new Set(chosen.map(({ file }) => file));
    run.leave(compared.left.filter(({ file }) => !taken.has(file)));
    run.leaveOthers(found);
  } finally {
    // Also after an interruption.
    await run.finish();
    await archives.save();
    run.summarize(found);
  }
  return { titles: run.titles, errors: run.errors, recognized: run.recognized };
}

/** Restores the files that were adopted. Throws UsageError `nothing-to-bind` for folders without archives. */
export async function restoreAdopted(
  folders: readonly string[],
  deps: Pick<AdoptDeps, 'observe' | 'signal'>,
): Promise<readonly TankobonError[]> {
  for (const folder of folders) await assertReadableFolder(folder, HINT);
  const { archives, links, unreadableFolders } = await listFolders(folders, deps.signal);
  assertFound(archives.length, folders, links);
  const count = { ...NO_FILES, links };
  const errors: TankobonError[] = [];
  const fail = (file: string, error: TankobonError): void => {
    errors.push(error);
    deps.observe(failedEvent(file, error));
  };
  for (const each of unreadableFolders) fail(each.folder, unreadableFolderError(each));
  try {
    for (const file of archives) {
      deps.signal.throwIfAborted();
      try {
        if (!(await restoreFile(file))) continue;
        count.restored += 1;
        deps.observe({ type: 'file-restored', file });
      } catch (error) {
        fail(file, toFileError(file, error));
      }
    }
  } finally {
    deps.observe({ type: 'adopt-summary', ...count, failed: errors.length });
  }
  return errors;
}

/** In chapters. The history is written once for each batch, since each write is synced. */
const HISTORY_BATCH = 100;

class AdoptRun {
  readonly titles: AdoptedTitles = new Map();
  readonly errors: TankobonError[] = [];
  readonly #count = { ...NO_FILES };
  readonly #notRemembered: string[] = [];
  readonly #getBuffer = reusableBuffer();

  constructor(
    private readonly request: AdoptRequest,
    private readonly deps: AdoptDeps,
    private readonly archives: KnownArchives,
  ) {}

  get recognized(): number {
    return this.#count.recognized;
  }

  /** Remembers what tankobon saved or adopted before, and its titles. */
  async takeKnown(files: readonly KnownFile[]): Promise<void> {
    await this.deps.remember(files.map(({ chapterId }) => chapterId));
    for (const each of files) addAdopted(this.titles, each, this.request.folders);
  }

  /** Reports the files, and adopts them on demand. */
  async take(files: readonly Recognized[]): Promise<void> {
    for (const recognized of files) {
      this.deps.signal.throwIfAborted();
      this.#count.recognized += 1;
      this.deps.observe(recognizedEvent(recognized));
      if (this.request.apply) await this.#adopt(recognized);
    }
  }

  /** Writes the chapters that are not in the history yet. */
  async finish(): Promise<void> {
    await this.#remember(0);
  }

  async #adopt(recognized: Recognized): Promise<void> {
    const { file } = recognized.file;
    try {
      const adopted = await adoptFile(recognized, this.#getBuffer, this.deps.signal);
      const { file: newFile } = adopted;
      this.#count.adopted += 1;
      const { chapter, title } = recognized;
      const { id: titleId = chapter.titleId, name: titleName } = title ?? {};
      const { language } = chapter;
      const state = await readFileState(newFile);
      if (state) await this.archives.setAdopted(adopted, state);
      addAdopted(this.titles, { file, titleId, titleName, language }, this.request.folders);
      this.#notRemembered.push(chapter.id);
      this.deps.observe({ type: 'file-adopted', file, ...(newFile !== file && { newFile }) });
    } catch (error) {
      this.deps.signal.throwIfAborted();
      this.fail(file, error);
    }
    await this.#remember(HISTORY_BATCH);
  }

  async #remember(minCount: number): Promise<void> {
    if (this.#notRemembered.length < Math.max(minCount, 1)) return;
    await this.deps.remember(this.#notRemembered.splice(0));
  }

  leave(files: readonly Unrecognized[]): void {
    for (const unrecognized of files) {
      this.#count.unrecognized += 1;
      this.deps.observe(unrecognizedEvent(unrecognized));
    }
  }

  leaveOthers({ withoutImages, otherArchives }: FoundFiles): void {
    this.#count.unrecognized += withoutImages.length + otherArchives.length;
    for (const file of withoutImages) this.deps.observe(notComicEvent(file, 'no-images'));
    for (const file of otherArchives) this.deps.observe(notComicEvent(file, 'other-archive'));
  }

  fail(file: string, thrown: unknown): void {
    const error = toFileError(file, thrown);
    this.errors.push(error);
    this.deps.observe(failedEvent(file, error));
  }

  summarize({ already, imageFolders, links }: FoundFiles): void {
    const failed = this.errors.length;
    const found = { already: already.length, imageFolders, links };
    this.deps.observe({ type: 'adopt-summary', ...this.#count, failed, ...found });
  }
}

function assertFound(count: number, folders: readonly string[], links: number): void {
  if (count > 0) return;
  throw new UsageError('nothing-to-bind', `No archives found: ${folders.join(', ')}`, {
    hint: links === 0 ? HINT : linksHint(links),
  });
}
