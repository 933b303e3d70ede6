/**
 * `sync` over a year of titles and wishes (random-titles.ts): after each run it is known what is missing, doubled, gone,
 * or loaded again.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../src/core/group-by.js';
import { createLibrary } from '../../src/practice-server/library/library.js';
import { doubledIn, FilesByRule } from './files-by-rule.js';
import { RandomTitles, STEP_MS, STEPS, truthOf, type Release } from './random-titles.js';
import { DAY_MS, SyncHarness, type SyncLine } from './sync-harness.js';

/** Replaced files are looked for until the end of the year. */
const OPTIONS = {
  settings: { reports: false, keepReplaced: 400 * DAY_MS },
} as const;

export interface YearResult {
  /** What must not be, each with its step and title. */
  readonly problems: readonly string[];
  /** How many there are on the last day. */
  readonly files: number;
}

export async function runRandomYear(seed: number): Promise<YearResult> {
  const harness = await SyncHarness.start(() => createLibrary({ titles: [], chapters: [] }));
  try {
    return await new RandomYear(seed, harness).run();
  } finally {
    await harness.stop();
  }
}

class RandomYear {
  readonly #titles: RandomTitles;
  readonly #byRule: ReadonlyMap<string, FilesByRule>;
  readonly #problems = new Map<string, string>();
  /** What became of the releases and chapters, by id. */
  readonly #named = new Set<string>();
  readonly #had = new Set<string>();
  readonly #removedByOwner = new Set<string>();
  #saved: ReadonlySet<string> = new Set<string>();
  #step = 0;

  constructor(
    private readonly seed: number,
    private readonly harness: SyncHarness,
  ) {
    const { service, clock } = harness;
    this.#titles = new RandomTitles(seed, service.library, () => clock.wallMs());
    this.#byRule = new Map(
      this.#titles.series.map((series) => [series.name, new FilesByRule(series)]),
    );
  }

  async run(): Promise<YearResult> {
    for (this.#step = 1; this.#step <= STEPS; this.#step += 1) {
      this.harness.clock.advance(STEP_MS);
      this.#removeFile(this.#titles.pass(chapterFiles(this.harness.base.output)));
      await this.#sync();
      this.#checkMissing();
      this.#checkPages();
    }
    // One more run has nothing to do.
    this.harness.clock.advance(8 * DAY_MS);
    const lines = await this.#sync();
    for (const { type, chapter } of lines)
      if (type === 'chapter-saved') this.#report(`${String(chapter)} is loaded without a change`);
    return { problems: [...this.#problems.values()], files: this.#idsOnDisk().length };
  }

  #report(problem: string): void {
    const since = `seed ${this.seed}, since step ${this.#step}: ${problem}`;
    this.#problems.set(problem, this.#problems.get(problem) ?? since);
  }

  /** What the owner removes does not come back. */
  #removeFile(file: string | undefined): void {
    if (file === undefined) return;
    for (const id of idsIn(file)) this.#removedByOwner.add(id);
    rmSync(file);
  }

  async #sync(): Promise<readonly SyncLine[]> {
    const before = this.#idsOnDisk();
    const byRule = this.#filesByRule(before);
    const series = this.#titles.series.map(({ target }) =>
      JSON.stringify({ target: `title:${target}`, ...this.#titles.wishes }),
    );
    this.harness.write(`series:\n${series.map((line) => `  - ${line}\n`).join('')}`);
    const { code, lines, stderr } = await this.harness.sync({}, OPTIONS);
    if (code !== 0) this.#report(`exit code ${code}: ${stderr}`);
    for (const { type, chapter } of lines) {
      if (typeof chapter !== 'string') continue;
      if (type === 'chapter-started') continue;
      if (type !== 'chapter-saved') this.#named.add(chapter);
      else if (before.includes(chapter) || this.#removedByOwner.has(chapter))
        this.#report(`${this.#describe(chapter)} was had, and is loaded again`);
    }
    this.#checkDoubled(before, byRule);
    this.#saved = new Set(this.#idsOnDisk().map((id) => this.#titles.truthOfId(id)));
    for (const truth of this.#saved) this.#had.add(truth);
    return lines;
  }

  /** Where the rule alone, from the same files, doubles a chapter, the program may do so. */
  #filesByRule(files: readonly string[]): readonly string[] {
    const { wishes, series } = this.#titles;
    const nowMs = this.harness.clock.wallMs();
    return series.flatMap(({ name, titleId }) => {
      const title = this.harness.service.library.title(titleId);
      const numbersRestart = title?.attributes.chapterNumbersResetOnNewVolume ?? false;
      const isOfTitle = (id: string) => this.#titles.find(id)?.series.name === name;
      const [own, removed] = [files.filter(isOfTitle), [...this.#removedByOwner].filter(isOfTitle)];
      const run = { wishes, numbersRestart, nowMs, files: own, removed };
      return [...(this.#byRule.get(name)?.after(run) ?? [])];
    });
  }

  #checkDoubled(before: readonly string[], byRule: readonly string[]): void {
    const truthOfId = (id: string) => this.#titles.truthOfId(id);
    const [had, allowed] = [doubledIn(before, truthOfId), doubledIn(byRule, truthOfId)];
    for (const [truth, count] of doubledIn(this.#idsOnDisk(), truthOfId))
      if (count > Math.max(had.get(truth) ?? 0, allowed.get(truth) ?? 0))
        this.#report(`${truth} has ${count + 1} files, which the rule alone does not save`);
  }

  /** Every chapter that is wished for is there, or one of its releases was named. */
  #checkMissing(): void {
    const removed = new Set([...this.#removedByOwner].map((id) => this.#titles.truthOfId(id)));
    for (const series of this.#titles.series) {
      const mistyped = series.releases.filter(
        ({ isListed, number, chapter }) => isListed && number !== String(chapter.number),
      );
      const wished = series.releases.filter((release) => this.#titles.isWished(release));
      for (const [chapter, releases] of groupBy(wished, (release) => release.chapter)) {
        const truth = truthOf({ series, release: { chapter } });
        if (this.#saved.has(truth) || removed.has(truth)) continue;
        // What has another chapter's number looks like that chapter until it is corrected.
        const isMistyped = ({ number, chapter: own }: Release): boolean =>
          own === chapter || number === String(chapter.number);
        if (mistyped.some(isMistyped) || releases.some(({ id }) => this.#named.has(id))) continue;
        const id = releases[0]?.id ?? '';
        this.#report(`${this.#describe(id)} is missing, and no message names it`);
      }
    }
  }

  /** The pages of each chapter that ever was there are on the disk, if the service has it no more. */
  #checkPages(): void {
    const everywhere = new Set(
      this.harness.base
        .files()
        .flatMap((file) => idsIn(file).map((id) => this.#titles.truthOfId(id))),
    );
    const removed = new Set([...this.#removedByOwner].map((id) => this.#titles.truthOfId(id)));
    for (const series of this.#titles.series) {
      for (const [chapter, releases] of groupBy(series.releases, (release) => release.chapter)) {
        const truth = truthOf({ series, release: { chapter } });
        if (releases.some(({ isListed }) => isListed)) continue;
        if (this.#had.has(truth) && !everywhere.has(truth) && !removed.has(truth))
          this.#report(`${truth} was deleted by the service, and its pages are gone`);
      }
    }
  }

  /** The releases of the chapter files, hidden folders excepted. */
  #idsOnDisk(): readonly string[] {
    return chapterFiles(this.harness.base.output)
      .flatMap((file) => idsIn(file))
      .filter((id) => this.#titles.find(id));
  }

  #describe(id: string): string {
    const found = this.#titles.find(id);
    if (!found) return id;
    const { group, number, volume = 'none' } = found.release;
    return `${truthOf(found)} (${group}, volume ${volume}, number ${number}, ${id})`;
  }
}

/** The chapters of the pages in a file, whatever its name: each has one page, stored as it is, that names it. */
function idsIn(file: string): readonly string[] {
  const text = readFileSync(file, 'latin1');
  const ids = [...text.matchAll(/chapter ([0-9a-f-]{36}), page /g)].map((match) => match[1] ?? '');
  return [...new Set(ids)];
}

function chapterFiles(folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith('.cbz') && !/(^|\/)\./.test(name))
    .map((name) => join(folder, name));
}
