/**
 * What the plan of books needs of each file in a folder, by path, size and modification time, so that `bind` opens only
 * files that are new or were changed. A file in the state folder for each folder to bind; if it is deleted, all files are
 * read again.
 */
import { createHash } from 'node:crypto';
import { join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { readFileState, type FileState } from '../library/ownership.js';
import { recordMetadata } from '../library/record.js';
import { readCacheFile, writeCacheFile } from '../core/cache-file.js';
import { isOwnFile } from '../core/files.js';
import { isRecord } from '../core/json.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { QUALITIES } from '../config/quality.js';
import { readChapters } from './read-chapters.js';
import {
  PLANNED_FIELDS,
  sourceKey,
  type PlannedField,
  type SourceChapter,
} from './source-chapter.js';

/** Smaller folders are read as fast as their index. */
const MIN_FILES = 50;
/** Counts up when entries get fields: those of an earlier format are read again. */
const INDEX_FORMAT = 1;

const text = z.string().optional();
const uuid = z.string().regex(new RegExp(`^${UUID_PATTERN}$`));

const indexed = z.object({
  isBound: z.boolean(),
  /** See ownState. */
  isOwn: z.boolean(),
  identity: z
    .object({
      chapterId: uuid,
      titleId: uuid.optional(),
      version: z.int().positive().optional(),
      quality: z.enum(QUALITIES).optional(),
    })
    .optional(),
  record: z.object({ titleId: text, folderTemplate: text, inferredVolume: text }).optional(),
  metadata: recordMetadata.pick(PLANNED_FIELDS),
  volumeCount: z.int().optional(),
  isBookEdited: z.boolean().optional(),
  pages: z.int().positive(),
  key: text,
});

const entry = z.object({ size: z.number(), mtimeNs: z.string(), chapters: z.array(indexed) });

export class ChapterIndex {
  readonly #seen = new Map<string, unknown>();
  #hasChanges = false;

  private constructor(
    private readonly folder: string,
    private readonly file: string,
    private readonly known: ReadonlyMap<string, unknown>,
  ) {}

  /** Undefined for a folder with few files. An unreadable index counts as empty. */
  static async open(
    stateFolder: string,
    folder: string,
    files: readonly string[],
  ): Promise<ChapterIndex | undefined> {
    if (files.length < MIN_FILES) return undefined;
    const root = resolve(folder);
    const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
    const file = join(stateFolder, 'library', `${name}-chapters.json`);
    const content = await readCacheFile(file);
    const isCurrent = isRecord(content) && content['format'] === INDEX_FORMAT;
    const entries = isCurrent && isRecord(content['files']) ? content['files'] : {};
    return new ChapterIndex(root, file, new Map(Object.entries(entries)));
  }

  /** The chapters in the file, without copies. Throws StorageError as readChapters does. */
  async read(file: string): Promise<readonly SourceChapter[]> {
    const state = await readFileState(file).catch(() => undefined);
    const path = relative(this.folder, resolve(file));
    const found = entry.safeParse(this.known.get(path)).data;
    if (state && found && isSame(found, state)) {
      this.#seen.set(path, this.known.get(path));
      return found.chapters.map(({ isOwn, pages, ...chapter }) => ({
        ...chapter,
        file,
        ...(isOwn && isOwnFile(file, state) && { ownState: state }),
        identity: chapter.identity,
        pages: { length: pages },
      }));
    }
    const chapters = await readChapters(file);
    const own = chapters.filter(({ copy }) => !copy);
    // The index would not know whether a file of another user has the mark.
    if (state && isOwnFile(file, state)) {
      this.#hasChanges = true;
      this.#seen.set(path, { ...markOf(state), chapters: own.map(toIndexed) });
    }
    return own;
  }

  /** Call it after all files were read: others are dropped. */
  async save(): Promise<void> {
    if (!this.#hasChanges && this.#seen.size === this.known.size) return;
    const files = Object.fromEntries(this.#seen);
    await writeCacheFile(this.file, { format: INDEX_FORMAT, files });
  }
}

function markOf({ size, mtimeNs }: FileState) {
  return { size: Number(size), mtimeNs: String(mtimeNs) };
}

function isSame(mark: ReturnType<typeof markOf>, state: FileState): boolean {
  const { size, mtimeNs } = markOf(state);
  return mark.size === size && mark.mtimeNs === mtimeNs;
}

/** JSON turns it into an `indexed`. */
function toIndexed(chapter: SourceChapter): object {
  const { isBound, identity, record, metadata, volumeCount, isBookEdited, pages } = chapter;
  const { titleId, folderTemplate, inferredVolume } = record ?? {};
  return {
    isBound,
    isOwn: chapter.ownState !== undefined,
    identity,
    record: record && { titleId, folderTemplate, inferredVolume },
    metadata: Object.fromEntries(
      Object.keys(PLANNED_FIELDS).map((name) => [name, metadata[name as PlannedField]]),
    ),
    volumeCount,
    isBookEdited,
    pages: pages.length,
    key: identity ? undefined : sourceKey(chapter),
  };
}
