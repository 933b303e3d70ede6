/**
 * The chapters that were saved and not yet announced by the hooks: one line of JSON for each, appended when it is saved
 * and removed when the hooks of its series are done, so that a run that is killed announces nothing less.
 */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { makeFolders, readFileIfExists, writeFileAtomic } from '../core/files.js';
import { parseJson } from '../core/json.js';

const update = z.object({
  titleId: z.string(),
  series: z.string(),
  chapter: z.object({
    id: z.string(),
    number: z.string().optional(),
    volume: z.string().optional(),
    title: z.string().optional(),
    language: z.string(),
    groups: z.array(z.string()),
    file: z.string(),
    /** The id of the release that it replaced. */
    replaces: z.string().optional(),
  }),
});
export type ChapterUpdate = z.output<typeof update>;

const FILE_MODE = 0o600;

export class UpdatesJournal {
  readonly #file: string;

  constructor(private readonly folder: string) {
    this.#file = join(folder, 'updates.jsonl');
  }

  async add(update: ChapterUpdate): Promise<void> {
    makeFolders(this.folder, 0o700);
    // The line of a killed process may be incomplete: an empty line ends it.
    await appendFile(this.#file, `\n${JSON.stringify(update)}\n`, { mode: FILE_MODE, flush: true });
  }

  /** Each chapter once, in the order in which they were saved. */
  async read(): Promise<ChapterUpdate[]> {
    const text = (await readFileIfExists(this.#file))?.toString('utf8') ?? '';
    const updates = new Map<string, ChapterUpdate>();
    for (const line of text.split('\n')) {
      const parsed = update.safeParse(parseJson(line));
      if (parsed.success) updates.set(parsed.data.chapter.id, parsed.data);
    }
    return [...updates.values()];
  }

  /** Removes the chapters of a title. */
  async remove(titleId: string): Promise<void> {
    const rest = (await this.read()).filter((update) => update.titleId !== titleId);
    const text = rest.map((update) => `${JSON.stringify(update)}\n`).join('');
    await writeFileAtomic(this.#file, text, { mode: FILE_MODE });
  }
}
