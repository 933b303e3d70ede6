/** Runs `tankobon sync` in the test's process against a practice service whose chapters and clock a test controls. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { login } from '../../src/cli/commands/login.js';
import { sync } from '../../src/cli/commands/sync.js';
import type { ExitCode } from '../../src/core/exit-codes.js';
import type {
  LibraryChapter,
  LibraryList,
  LibraryTitle,
} from '../../src/practice-server/library/library.js';
import {
  createLibrary,
  uuidOf,
  type Library,
  type ReadingStatus,
} from '../../src/practice-server/library/library.js';
import {
  createTitle,
  plainChapter,
  type ChapterOptions,
} from '../../src/practice-server/library/story-chapter.js';
import type { PracticeOptions } from '../../src/practice-server/practice-options.js';
import { DownloadHarness, type RunOverrides } from './download-harness.js';
import { parseTexts, type OptionTexts } from './option-texts.js';
import { virtualClock, type VirtualClock } from './virtual-clock.js';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const titleId = (name: string): string => uuidOf('sync title', name);
export const chapterId = (name: string, number: string, group = 'Scans'): string =>
  uuidOf('sync chapter', name, number, group);

const at = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+00:00`;

export const syncTitle = (name: string): LibraryTitle =>
  createTitle({
    id: titleId(name),
    title: { en: name },
    createdAt: '2024-01-01T00:00:00+00:00',
    updatedAt: '2024-01-01T00:00:00+00:00',
  });

/** A chapter of two pages by `group`, readable at `readableMs`. */
export function syncChapter(
  name: string,
  number: string,
  readableMs: number,
  {
    group = 'Scans',
    ...change
  }: { readonly group?: string } & Partial<Omit<ChapterOptions, 'id' | 'at'>> = {},
  pages = 2,
): LibraryChapter {
  return plainChapter(
    {
      id: chapterId(name, number, group),
      titleId: titleId(name),
      groups: [{ id: uuidOf('sync group', group), name: group }],
      at: at(readableMs),
      chapter: number,
      ...change,
    },
    pages,
  );
}

/** A library of titles by name, with the chapters 1 and 2 of each. */
export function syncLibrary(
  names: readonly string[],
  readableMs: number,
  followed: Readonly<Record<string, ReadingStatus>> = {},
  lists: readonly LibraryList[] = [],
): Library {
  return createLibrary({
    lists,
    titles: names.map(syncTitle),
    chapters: names.flatMap((name) => [
      syncChapter(name, '1', readableMs),
      syncChapter(name, '2', readableMs + HOUR_MS),
    ]),
    followedTitleIds: Object.keys(followed).map(titleId),
    readingStatuses: new Map(
      Object.entries(followed).map(([name, status]) => [titleId(name), status]),
    ),
  });
}

export interface SyncLine {
  readonly type: string;
  readonly [key: string]: unknown;
}

export class SyncHarness {
  private constructor(
    readonly base: DownloadHarness,
    readonly clock: VirtualClock,
  ) {}

  static async start(
    library: (nowMs: number) => Library,
    options: PracticeOptions = {},
  ): Promise<SyncHarness> {
    const clock = virtualClock();
    const base = await DownloadHarness.start({
      // The general limit is not under test, and the clock runs faster than the machine.
      limits: { general: { requests: 10_000, periodMs: 1_000 } },
      ...options,
      clock,
      library: library(clock.wallMs()),
    });
    return new SyncHarness(base, clock);
  }

  get service() {
    return this.base.service;
  }

  /** The subscriptions file. */
  get file(): string {
    return join(this.base.folder, 'subscriptions.yaml');
  }

  /** @param defaults further members of `defaults` */
  write(text: string, defaults = ''): void {
    writeFileSync(this.file, `defaults: { output: ${this.base.output}${defaults} }\n${text}`);
  }

  /** The lines of `--json`, without those of single pages. */
  async sync(
    flags: OptionTexts = {},
    change: RunOverrides = {},
  ): Promise<{ code: ExitCode; lines: readonly SyncLine[]; stderr: string }> {
    const { code, stdout, stderr } = await this.text({ json: true, ...flags }, change);
    const lines = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as SyncLine);
    return { code, lines, stderr };
  }

  /** What a person or a log gets. */
  text(flags: OptionTexts = {}, change: RunOverrides = {}) {
    return this.base.command(
      (context) => sync(parseTexts({ file: this.file, ...flags }), context),
      {
        clock: this.clock,
        ...change,
      },
    );
  }

  async login(): Promise<void> {
    await this.base.command((context) => login({ insecureStorage: true }, context), {
      clock: this.clock,
      env: this.base.loginEnvironment(),
    });
  }

  /** The paths of the requests to the API since the last call, without those of chapters. */
  catalogueRequests(): readonly string[] {
    const all = this.service.log.filter(({ host }) => host === 'api');
    const fresh = all.slice(this.#seen);
    this.#seen = all.length;
    return fresh
      .map(({ path }) => path)
      .filter((path) => !path.startsWith('/at-home/') && !path.endsWith('/read'));
  }

  #seen = 0;

  async stop(): Promise<void> {
    await this.base.stop();
  }
}

/** The ids of the chapters that a run saved. */
export const savedIn = (lines: readonly SyncLine[]): readonly unknown[] =>
  lines.filter(({ type }) => type === 'chapter-saved').map(({ chapter }) => chapter);
