/**
 * What `verify` found in each file, by its path: size, modification time, when it was read, and what its mark named. One
 * file in the state folder; if it is deleted, everything is read again.
 */
import { join } from 'node:path';
import * as z from 'zod';
import type { FileMark } from '../library/identity.js';
import { readCacheFile, writeCacheFile } from '../core/cache-file.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { QUALITIES } from '../config/quality.js';

/** Disks lose data without a change of the time: everything is read again after a month. */
const MAX_AGE_MS = 30 * 24 * 3_600_000;
const MAX_FILE_BYTES = 512 * 2 ** 20;

/** Another program that changes a file changes at least one of these. */
export interface CheckedState {
  readonly bytes: number;
  readonly mtimeMs: number;
}

const uuid = z.string().regex(new RegExp(`^${UUID_PATTERN}$`));
const identity = z.object({
  chapterId: uuid,
  titleId: uuid.optional(),
  version: z.number().optional(),
  quality: z.enum(QUALITIES).optional(),
});
const checkedFile = z.object({
  bytes: z.number(),
  mtimeMs: z.number(),
  /** When it was read whole; 0 for a damaged file. */
  checkedAtMs: z.number(),
  chapter: identity.optional(),
  /** In place of `chapter`: the chapters of a book. */
  book: z.array(identity).optional(),
});
type CheckedFile = z.infer<typeof checkedFile>;

export class CheckedFiles {
  readonly #changed = new Map<string, CheckedFile | undefined>();

  private constructor(
    private readonly file: string,
    private readonly known: ReadonlyMap<string, CheckedFile>,
  ) {}

  /** An unreadable one counts as empty. */
  static async open(stateFolder: string): Promise<CheckedFiles> {
    const file = join(stateFolder, 'verified.json');
    return new CheckedFiles(file, await readChecked(file));
  }

  /** Whether the file was whole less than a month ago, and is as it was. */
  isRecent(path: string, { bytes, mtimeMs }: CheckedState, nowMs: number): boolean {
    const known = this.known.get(path);
    return (
      known?.bytes === bytes &&
      known.mtimeMs === mtimeMs &&
      Math.abs(nowMs - known.checkedAtMs) < MAX_AGE_MS
    );
  }

  /** What the mark of the file named when it could be read; undefined for any other file. */
  markAt(path: string): FileMark | undefined {
    const files = this.#changed.has(path) ? this.#changed : this.known;
    const { chapter, book } = files.get(path) ?? {};
    if (book) return { chapters: book, isBook: true };
    return chapter && { chapters: [chapter], isBook: false };
  }

  addWhole(
    path: string,
    state: CheckedState,
    checkedAtMs: number,
    mark: FileMark | undefined,
  ): void {
    this.#changed.set(path, { ...state, checkedAtMs, ...toFields(mark) });
  }

  /** The file stays reported until it is mended, and its mark stays known. */
  addDamaged(path: string, mark: FileMark | undefined): void {
    const damaged = { bytes: 0, mtimeMs: 0, checkedAtMs: 0, ...toFields(mark) };
    this.#changed.set(path, mark ? damaged : undefined);
  }

  /** Adds what another process found meanwhile. */
  async save(): Promise<void> {
    if (this.#changed.size === 0) return;
    const files = new Map(await readChecked(this.file));
    for (const [path, checked] of this.#changed)
      if (checked) files.set(path, checked);
      else files.delete(path);
    await writeCacheFile(this.file, Object.fromEntries(files));
  }
}

function toFields(mark: FileMark | undefined): Pick<CheckedFile, 'chapter' | 'book'> {
  if (!mark) return {};
  const { isBook, chapters } = mark;
  return isBook ? { book: [...chapters] } : { chapter: chapters[0] };
}

async function readChecked(file: string): Promise<ReadonlyMap<string, CheckedFile>> {
  const value = await readCacheFile(file, { maxBytes: MAX_FILE_BYTES });
  const { data = {} } = z.record(z.string(), checkedFile).safeParse(value);
  return new Map(Object.entries(data));
}
