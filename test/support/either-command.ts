/**
 * `download` and `sync` of one title that changes on the service: a test runs once with each where both take the same
 * decision, and carry it out in the same way.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  createLibrary,
  editChapter,
  editTitle,
  type LibraryChapter,
} from '../../src/practice-server/library/library.js';
import type { PracticeOptions } from '../../src/practice-server/practice-options.js';
import { readEntry } from './archive.js';
import {
  chapterId,
  DAY_MS,
  syncChapter,
  SyncHarness,
  syncTitle,
  titleId,
  type SyncLine,
} from './sync-harness.js';

export const COMMANDS = ['download', 'sync'] as const;
export type Command = (typeof COMMANDS)[number];

const NAME = 'Alpha';

export interface EitherRun {
  readonly code: number;
  readonly lines: readonly SyncLine[];
  readonly stderr: string;
}

interface ManifestChapter {
  readonly chapterId: string;
  readonly version: number;
  readonly metadata: { readonly number: string; readonly title?: string };
}

export class EitherHarness {
  #seen = 0;

  private constructor(
    private readonly command: Command,
    private readonly binds: boolean,
    readonly sync: SyncHarness,
  ) {}

  /** Each chapter by its number, with its volume. All are saved; with `binds`, only books have them. */
  static async start(
    command: Command,
    chapters: Readonly<Record<string, string | null>>,
    { binds = false, ...practice }: { readonly binds?: boolean } & PracticeOptions = {},
  ): Promise<EitherHarness> {
    const sync = await SyncHarness.start(
      (nowMs) =>
        createLibrary({
          titles: [syncTitle(NAME)],
          chapters: Object.entries(chapters).map(([number, volume]) =>
            syncChapter(NAME, number, nowMs - 9 * DAY_MS, { volume }),
          ),
        }),
      practice,
    );
    const harness = new EitherHarness(command, binds, sync);
    await harness.run();
    // A sync keeps them beside the books.
    if (binds) for (const file of sync.base.archives()) if (/ Ch\.\d/.test(file)) rmSync(file);
    harness.requests();
    return harness;
  }

  /** With `changes`, files get what changed on the service: `--update`, or `upgrade: true`. A week later, so that a sync reads the title. */
  async run({ changes = false, dryRun = false } = {}): Promise<EitherRun> {
    const { base, clock } = this.sync;
    clock.advance(7 * DAY_MS);
    const target = `title:${titleId(NAME)}`;
    if (this.command === 'sync') {
      const bind = this.binds ? ', bind: { by: volume }' : '';
      const upgrade = changes ? ', upgrade: true' : '';
      this.sync.write(`series:\n  - { target: '${target}', language: [en]${bind}${upgrade} }\n`);
      return this.sync.sync({ dryRun });
    }
    const bind = this.binds ? { bind: 'volume' } : {};
    const options = { targets: [target], language: 'en', update: changes, dryRun, ...bind };
    const { code, events, stderr } = await base.download(options, { clock });
    return { code, lines: events as unknown as readonly SyncLine[], stderr };
  }

  /** Also says that a further run has no news, and sends no request for pages. */
  async expectSettled(): Promise<void> {
    this.requests();
    const { code, lines, stderr } = await this.run({ changes: true });
    const found = [code, newsIn(lines), this.requests(), stderr];
    expect(found).toEqual([0, [], { atHome: 0, pages: 0 }, '']);
  }

  get output(): string {
    return this.sync.base.output;
  }

  paths(): readonly string[] {
    return this.sync.base.archivePaths();
  }

  /** Adds a chapter, or a further release of one. */
  upload(number: string, group = 'Scans', more: Parameters<typeof syncChapter>[3] = {}): string {
    const readableMs = this.sync.clock.wallMs() - DAY_MS;
    const chapter = syncChapter(NAME, number, readableMs, { group, ...more });
    this.sync.service.library.putChapter(chapter);
    return chapter.id;
  }

  /** Deletes the chapter, and uploads it again with another id. */
  uploadAgain(number: string, more: Parameters<typeof syncChapter>[3] = {}): string {
    this.sync.clock.advance(2 * DAY_MS);
    this.remove(number);
    return this.upload(number, 'Scans II', more);
  }

  change(number: string, act: (chapter: LibraryChapter) => LibraryChapter): void {
    const { library } = this.sync.service;
    const chapter = library.chapter(chapterId(NAME, number));
    if (!chapter) throw new Error(number);
    library.putChapter(act(chapter));
  }

  edit(number: string, attributes: Parameters<typeof editChapter>[2]): void {
    this.change(number, (chapter) => editChapter(chapter, this.#time(), attributes));
  }

  remove(number: string): void {
    this.sync.service.library.removeChapter(chapterId(NAME, number));
  }

  rename(name: string): void {
    const { library } = this.sync.service;
    const title = library.title(titleId(NAME));
    if (title) library.putTitle(editTitle(title, this.#time(), { title: { en: name } }));
  }

  today(): string {
    return new Date(this.sync.clock.wallMs()).toISOString().slice(0, 10);
  }

  #time(): string {
    return `${new Date(this.sync.clock.wallMs()).toISOString().slice(0, 19)}+00:00`;
  }

  /** The requests for delivery metadata and for pages since the last call. */
  requests(): { readonly atHome: number; readonly pages: number } {
    const { log } = this.sync.service;
    const fresh = log.slice(this.#seen).map(({ path }) => path);
    this.#seen = log.length;
    const atHome = fresh.filter((path) => path.startsWith('/at-home/')).length;
    return { atHome, pages: fresh.filter((path) => path.includes('/data/')).length };
  }

  book(volume: string): string {
    return join(this.output, NAME, `${NAME} Vol.${volume}.cbz`);
  }

  async chaptersIn(book: string): Promise<readonly ManifestChapter[]> {
    const manifest = JSON.parse(await readEntry(book, 'META-INF/tankobon.json')) as {
      readonly chapters: readonly ManifestChapter[];
    };
    return manifest.chapters;
  }

  stop(): Promise<void> {
    return this.sync.stop();
  }
}

const NEWS: readonly unknown[] = [
  'chapter-skipped',
  'chapter-changed',
  'chapter-retagged',
  'chapter-saved',
];

/** What is said of chapters, besides that they are there. */
export const newsIn = (lines: readonly SyncLine[]): readonly SyncLine[] =>
  lines.filter(({ type, reason }) => NEWS.includes(type) && reason !== 'already-there');
