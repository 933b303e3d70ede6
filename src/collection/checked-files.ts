/**
 * What `verify` found in each file, by its path: size, modification time, when it was read, and the chapter whose mark it
 * had. One file in the state folder; if it is deleted, everything is read again.
 */
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { CbzIdentity } from '../cbz/identity.js';
import { makeFolders, readFileIfExists, writeFileAtomic } from '../core/files.js';
import { parseJson } from '../core/json.js';
import { PRIVATE_FOLDER_MODE } from '../core/own-folder.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { QUALITIES } from '../image/page-url.js';

/** Disks lose data without a change of the time: everything is read again after a month. */
const MAX_AGE_MS = 30 * 24 * 3_600_000;
const MAX_FILE_BYTES = 512 * 2 ** 20;
const FILE_MODE = 0o600;

/** Another program that changes a file changes at least one of these. */
export interface CheckedState {
  readonly bytes: number;
  readonly mtimeMs: number;
}

const uuid = z.string().regex(new RegExp(`^${UUID_PATTERN}$`));
const checkedFile = z.object({
  bytes: z.number(),
  mtimeMs: z.number(),
  /** When it was read whole; 0 for a damaged file. */
  checkedAtMs: z.number(),
  chapter: z
    .object({
      chapterId: uuid,
      titleId: uuid.optional(),
      version: z.number().optional(),
      quality: z.enum(QUALITIES).optional(),
    })
    .optional(),
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

  /** The chapter whose mark the file had when it was read the last time; undefined for any other file. */
  chapterAt(path: string): CbzIdentity | undefined {
    const files = this.#changed.has(path) ? this.#changed : this.known;
    return files.get(path)?.chapter;
  }

  addWhole(
    path: string,
    state: CheckedState,
    checkedAtMs: number,
    chapter: CbzIdentity | undefined,
  ): void {
    this.#changed.set(path, { ...state, checkedAtMs, chapter });
  }

  /** The file stays reported until it is mended, and its mark stays known. */
  addDamaged(path: string, chapter: CbzIdentity | undefined): void {
    const damaged = { bytes: 0, mtimeMs: 0, checkedAtMs: 0, chapter };
    this.#changed.set(path, chapter ? damaged : undefined);
  }

  /** Adds what another process found meanwhile. */
  async save(): Promise<void> {
    if (this.#changed.size === 0) return;
    makeFolders(dirname(this.file), PRIVATE_FOLDER_MODE);
    const files = new Map(await readChecked(this.file));
    for (const [path, checked] of this.#changed)
      if (checked) files.set(path, checked);
      else files.delete(path);
    const text = JSON.stringify(Object.fromEntries(files));
    await writeFileAtomic(this.file, text, { mode: FILE_MODE });
  }
}

async function readChecked(file: string): Promise<ReadonlyMap<string, CheckedFile>> {
  const options = { maxBytes: MAX_FILE_BYTES };
  const bytes = await readFileIfExists(file, options).catch(() => undefined);
  const { data = {} } = z
    .record(z.string(), checkedFile)
    .safeParse(parseJson(bytes?.toString('utf8') ?? ''));
  return new Map(Object.entries(data));
}
