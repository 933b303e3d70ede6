/**
 * Titles whose releases change on the service step by step, and what a command has saved of each after every step. All
 * titles share a service and their runs, which makes a row of a table cheap.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseIdentityComment } from '../../src/library/mark.js';
import {
  createLibrary,
  editChapter,
  editTitle,
  uuidOf,
  type LibraryChapter,
} from '../../src/practice-server/library/library.js';
import { plainChapter } from '../../src/practice-server/library/story-chapter.js';
import { groupBy } from '../../src/core/group-by.js';
import { readComment } from './archive.js';
import { DAY_MS, HOUR_MS, SyncHarness, syncTitle, titleId } from './sync-harness.js';

/** `upgrade` is `sync` with that option. */
export type Mode = 'download' | 'update' | 'sync' | 'upgrade';

export interface Release {
  readonly number?: string | null;
  readonly volume?: string | null;
  readonly title?: string | null;
  /** `Scans` by default. */
  readonly groups?: readonly string[];
  /** `en` by default. */
  readonly language?: string;
  /** When it was uploaded, in days since the first upload. By default each is uploaded after the one before. */
  readonly day?: number;
}

/** Options of a download, and keys of a subscription. */
export interface Wishes {
  readonly language?: readonly string[];
  readonly group?: readonly string[];
  readonly excludeGroup?: readonly string[];
  readonly chapters?: string;
}

/** Names of releases, separated by spaces; for each mode, where they differ. */
export type Expected =
  string | (Readonly<Partial<Record<Mode, string>>> & { readonly otherwise: string });

/** What happens before a run, and what holds after it. */
export interface Step {
  /** By the names that the other members use. */
  readonly upload?: Readonly<Record<string, Release>>;
  readonly edit?: Readonly<Record<string, Release>>;
  readonly remove?: readonly string[];
  /** The service's flag `chapterNumbersResetOnNewVolume`. */
  readonly numbersRestart?: boolean;
  /** They stay until they are set again. */
  readonly wishes?: Wishes;
  /** The releases whose files are there. */
  readonly saved: Expected;
  /** The releases that the run skips since another one counts as the same chapter. Not looked at where it is not given. */
  readonly skipped?: string | Readonly<Partial<Record<Mode | 'otherwise', string>>>;
}

export interface StepResult {
  readonly saved: string;
  /** The releases that are skipped as `other-release-saved`. */
  readonly skipped: string;
  /** What the run loaded, changed, or reported, apart from what every run of its kind reports. */
  readonly news: readonly string[];
  /** The path in the output folder of each release. */
  readonly paths: Readonly<Record<string, string>>;
}

export interface HistoryResult {
  readonly steps: readonly StepResult[];
  /** The result of one more run after the last step. */
  readonly again: StepResult;
}

export const releaseId = (title: string, name: string): string =>
  uuidOf('title history', title, name);
/** Releases of the first step are as old as this. */
const FIRST_DAY = 500;

/** Sorted; undefined where nothing is expected. */
export function expectedIn(expected: Step['skipped'], mode: Mode): string | undefined {
  const names = typeof expected === 'string' ? expected : (expected?.[mode] ?? expected?.otherwise);
  return names === undefined ? undefined : sorted(names.split(' '));
}

export class TitleHistories {
  readonly #results = new Map<string, readonly StepResult[]>();
  readonly #wishes = new Map<string, Wishes>();
  /** The names of releases with their titles, by id. */
  readonly #names = new Map<string, { readonly title: string; readonly name: string }>();
  #digests = new Map<string, string>();
  #uploads = 0;

  private constructor(
    readonly harness: SyncHarness,
    readonly mode: Mode,
    readonly histories: Readonly<Record<string, readonly Step[]>>,
  ) {}

  static async start(
    mode: Mode,
    histories: Readonly<Record<string, readonly Step[]>>,
  ): Promise<TitleHistories> {
    const titles = Object.keys(histories).map(syncTitle);
    const harness = await SyncHarness.start(() => createLibrary({ titles, chapters: [] }));
    return new TitleHistories(harness, mode, histories);
  }

  /** Runs all steps, and one more run for each title. */
  async run(): Promise<ReadonlyMap<string, HistoryResult>> {
    const rounds = Math.max(...Object.values(this.histories).map(({ length }) => length));
    for (let round = 0; round <= rounds; round += 1) await this.runStep(round);
    return new Map(
      [...this.#results].map(([title, results]) => {
        const again = results.at(-1);
        if (!again) throw new Error(title);
        return [title, { steps: results.slice(0, -1), again }];
      }),
    );
  }

  /** The step of this index of each title; titles that have no more run once more. */
  async runStep(index: number): Promise<void> {
    const titles = Object.entries(this.histories).filter(([, { length }]) => index <= length);
    // Each title is read at least once a week.
    if (index > 0) this.harness.clock.advance(8 * DAY_MS);
    for (const [title, steps] of titles) {
      const step = steps[index];
      if (step) this.change(title, step);
    }
    await this.runOnce(titles.map(([title]) => title));
  }

  /** One run, without changes before it. */
  async runOnce(titles: readonly string[] = Object.keys(this.histories)): Promise<void> {
    const seen = this.harness.service.log.length;
    const events = await this.#runCommand(titles);
    const loaded = this.harness.service.log
      .slice(seen)
      .flatMap(({ path }) => this.#names.get(path.replace('/at-home/server/', '')) ?? []);
    const before = this.#digests;
    const files = await this.#files();
    for (const title of titles) {
      const isOwn = (release: { readonly title: string }): boolean => release.title === title;
      const own = files.filter(isOwn);
      const reported = events.filter(isOwn);
      const written = own.filter(({ path, digest }) => before.get(path) !== digest);
      const result = {
        saved: sorted(own.map(({ name }) => name)),
        skipped: sorted(
          reported.filter(({ text }) => text === OTHER_RELEASE).map(({ name }) => name),
        ),
        news: [
          ...loaded.filter(isOwn).map(({ name }) => `loads ${name}`),
          ...written.map(({ name }) => `writes ${name}`),
          ...reported.map(({ name, text }) => `${name}: ${text}`),
        ],
        paths: Object.fromEntries(own.map(({ name, path }) => [name, path])),
      };
      this.#results.set(title, [...this.resultsOf(title), result]);
    }
  }

  /** After each run. */
  resultsOf(title: string): readonly StepResult[] {
    return this.#results.get(title) ?? [];
  }

  /** Makes the changes of a step on the service. */
  change(title: string, step: Step): void {
    const { library } = this.harness.service;
    const at = timeOf(this.harness.clock.wallMs() - HOUR_MS);
    for (const [name, release] of Object.entries(step.upload ?? {}))
      library.putChapter(this.#upload(title, name, release));
    for (const [name, change] of Object.entries(step.edit ?? {})) {
      const chapter = library.chapter(releaseId(title, name));
      if (!chapter) throw new Error(`${title}: no release ${name}`);
      const { groups = chapter.groups.map((group) => group.name) } = change;
      const edited = editChapter(chapter, at, attributesOf(change));
      library.putChapter({ ...edited, groups: groups.map(groupOf) });
    }
    for (const name of step.remove ?? []) library.removeChapter(releaseId(title, name));
    if (step.numbersRestart !== undefined) {
      const found = library.title(titleId(title));
      if (!found) throw new Error(title);
      const flag = { chapterNumbersResetOnNewVolume: step.numbersRestart };
      library.putTitle(editTitle(found, at, flag));
    }
    if (step.wishes) this.#wishes.set(title, step.wishes);
  }

  #upload(title: string, name: string, release: Release): LibraryChapter {
    const id = releaseId(title, name);
    this.#names.set(id, { title, name });
    this.#uploads += 1;
    const isFirst = !this.#results.has(title);
    const { day = isFirst ? this.#uploads / 50 : undefined, groups = ['Scans'] } = release;
    const nowMs = this.harness.clock.wallMs();
    const ms = day === undefined ? nowMs - HOUR_MS : nowMs - (FIRST_DAY - day) * DAY_MS;
    return plainChapter(
      {
        id,
        titleId: titleId(title),
        groups: groups.map(groupOf),
        at: timeOf(ms + this.#uploads * 1_000),
        ...attributesOf(release),
      },
      1,
    );
  }

  async #runCommand(titles: readonly string[]): Promise<readonly Report[]> {
    const isSync = this.mode === 'sync' || this.mode === 'upgrade';
    const events = isSync ? await this.#sync(titles) : await this.#download(titles);
    return events.flatMap(({ type, chapter, reason, message }) => {
      if (typeof message === 'string') {
        const title = titles.find((name) => message.startsWith(`${name}: `));
        return title === undefined ? [] : [{ title, name: type, text: message }];
      }
      const release = typeof chapter === 'string' ? this.#names.get(chapter) : undefined;
      const isExpected = reason === 'already-there' || UNREPORTED.test(type);
      const text = typeof reason === 'string' ? `${type} ${reason}` : type;
      return release && !isExpected ? [{ ...release, text }] : [];
    });
  }

  /** Each subscription has its own options. */
  writeSubscriptions(titles: readonly string[] = Object.keys(this.histories)): void {
    const series = titles.map((title) => {
      const { language = ['en'], group, excludeGroup, chapters } = this.#wishesOf(title);
      return JSON.stringify({
        target: `title:${titleId(title)}`,
        language,
        group,
        'exclude-group': excludeGroup,
        chapters,
        ...(this.mode === 'upgrade' && { upgrade: true }),
      });
    });
    this.harness.write(`series:\n${series.map((line) => `  - ${line}\n`).join('')}`);
  }

  async #sync(titles: readonly string[]): Promise<readonly Line[]> {
    this.writeSubscriptions(titles);
    const { code, lines, stderr } = await this.harness.sync({}, WITHOUT_REPORTS);
    if (code !== 0) throw new Error(stderr);
    return lines;
  }

  /** One run for all titles with the same options. */
  async #download(titles: readonly string[]): Promise<readonly Line[]> {
    const byWishes = groupBy(titles, (title) => JSON.stringify(this.#wishesOf(title)));
    const events: Line[] = [];
    for (const together of byWishes.values()) {
      const wishes = this.#wishesOf(together[0] ?? '');
      const { language = ['en'], group, excludeGroup, chapters } = wishes;
      const result = await this.harness.base.download(
        {
          targets: together.map((title) => `title:${titleId(title)}`),
          language: language.join(),
          ...(group && { group: group.join() }),
          ...(excludeGroup && { excludeGroup: excludeGroup.join() }),
          ...(chapters !== undefined && { chapters }),
          update: this.mode === 'update',
        },
        WITHOUT_REPORTS,
      );
      if (result.code !== 0) throw new Error(result.stderr);
      events.push(...result.events);
    }
    return events;
  }

  #wishesOf(title: string): Wishes {
    return this.#wishes.get(title) ?? {};
  }

  /** The chapter files, hidden folders excepted. */
  async #files() {
    const { output } = this.harness.base;
    const paths = this.harness.base
      .archives()
      .filter((file) => !`/${relative(output, file)}`.includes('/.'));
    const files = await Promise.all(
      paths.map(async (file) => {
        const id = parseIdentityComment(await readComment(file))?.chapterId ?? '';
        const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
        const release = this.#names.get(id) ?? { title: 'unknown', name: id };
        return { ...release, path: relative(output, file), digest };
      }),
    );
    this.#digests = new Map(files.map(({ path, digest }) => [path, digest]));
    return files;
  }

  async stop(): Promise<void> {
    await this.harness.stop();
  }
}

interface Line {
  readonly type: string;
  readonly chapter?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
}

interface Report {
  readonly title: string;
  readonly name: string;
  readonly text: string;
}

/** They are not under test, and are half of the requests for a chapter of one page. */
const WITHOUT_REPORTS = { settings: { reports: false } };
const OTHER_RELEASE = 'chapter-skipped other-release-saved';
/** They say what `loads` and `writes` say. */
const UNREPORTED = /^(chapter-started|chapter-saved|page-)/;

const sorted = (names: readonly string[]): string => [...names].sort().join(' ');

const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+00:00`;

const groupOf = (name: string) => ({ id: uuidOf('title history group', name), name });

function attributesOf({ number, volume, title, language }: Release) {
  return {
    ...(number !== undefined && { chapter: number }),
    ...(volume !== undefined && { volume }),
    ...(title !== undefined && { title }),
    ...(language !== undefined && { translatedLanguage: language }),
  };
}
