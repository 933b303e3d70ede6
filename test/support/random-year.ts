/**
 * A year of titles on the service, and of a subscriber who changes what is wished for: uploads, edits, deletions,
 * renumberings, volumes named late, merges. Each release knows which chapter it truly is, so that after each run of
 * `sync` it is known what is missing, doubled, gone, or loaded again.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../src/core/group-by.js';
import {
  createLibrary,
  editChapter,
  editTitle,
  uuidOf,
  type ChapterAttributes,
} from '../../src/practice-server/library/library.js';
import { plainChapter } from '../../src/practice-server/library/story-chapter.js';
import { trueChapters, TITLE_KINDS, type TitleKind, type TrueChapter } from './generated-titles.js';
import { seeded } from './seeded.js';
import { DAY_MS, HOUR_MS, SyncHarness, syncTitle, type SyncLine } from './sync-harness.js';

const STEPS = 14;
const STEP_DAYS = 26;
const TITLES = 3;
const GROUPS = ['Good', 'Fast', 'Brasil'] as const;
type GroupName = (typeof GROUPS)[number];
const LANGUAGES: Readonly<Record<GroupName, string>> = { Good: 'en', Fast: 'en', Brasil: 'pt-br' };
/** Replaced files are looked for until the end of the year. */
const OPTIONS = {
  settings: { reports: false, keepReplaced: 400 * DAY_MS },
} as const;

interface Release {
  readonly id: string;
  readonly group: GroupName;
  readonly chapter: TrueChapter;
  /** The number that the service lists. */
  number: string;
  volume: string | undefined;
  title: string | undefined;
  isListed: boolean;
}

interface Series {
  readonly name: string;
  readonly kind: TitleKind;
  readonly target: string;
  /** Another id after a merge. */
  titleId: string;
  readonly chapters: readonly TrueChapter[];
  readonly releases: Release[];
  /** The groups that name no volumes at first. */
  readonly withoutVolumes: ReadonlySet<GroupName>;
  uploaded: number;
}

interface Wishes {
  readonly language: readonly string[];
  readonly group: readonly GroupName[];
  readonly 'exclude-group': readonly GroupName[];
  readonly upgrade: boolean;
}

export interface YearResult {
  /** What must not be, each with its step and title. */
  readonly problems: readonly string[];
  /** The files of the last day, and those beside the first of their chapter. */
  readonly files: number;
  readonly doubled: number;
  /** Doubled files in titles with one numbering. */
  readonly doubledInOneNumbering: number;
}

export async function runRandomYear(seed: number): Promise<YearResult> {
  const year = await RandomYear.start(seed);
  try {
    return await year.run();
  } finally {
    await year.stop();
  }
}

class RandomYear {
  readonly #random: () => number;
  readonly #series: readonly Series[];
  readonly #problems = new Map<string, string>();
  /** Releases and chapters by id, and what became of them. */
  readonly #byId = new Map<string, { readonly series: Series; readonly release: Release }>();
  readonly #named = new Set<string>();
  readonly #had = new Set<string>();
  readonly #removedByOwner = new Set<string>();
  /** Chapters that were saved as others: both files stay when the number is corrected. */
  readonly #mistyped = new Set<string>();
  #saved: ReadonlySet<string> = new Set<string>();
  #wishes: Wishes = { language: ['en'], group: [], 'exclude-group': [], upgrade: false };
  #step = 0;

  private constructor(
    private readonly seed: number,
    private readonly harness: SyncHarness,
  ) {
    this.#random = seeded(seed);
    this.#series = Array.from({ length: TITLES }, (_, index) => this.#createSeries(index));
  }

  static async start(seed: number): Promise<RandomYear> {
    const harness = await SyncHarness.start(() => createLibrary({ titles: [], chapters: [] }));
    return new RandomYear(seed, harness);
  }

  async run(): Promise<YearResult> {
    for (this.#step = 1; this.#step <= STEPS; this.#step += 1) {
      this.#passStep();
      await this.#sync();
      this.#checkMissing();
      this.#checkPages();
    }
    // One more run has nothing to do.
    this.harness.clock.advance(8 * DAY_MS);
    const lines = await this.#sync();
    for (const { type, chapter } of lines)
      if (type === 'chapter-saved') this.#report(`${String(chapter)} is loaded without a change`);
    const files = this.#releasesOnDisk();
    const doubledOf = (kinds: readonly TitleKind[]) =>
      this.#series.reduce((sum, series) => {
        const own = files.filter(
          (each) =>
            each.series === series &&
            kinds.includes(series.kind) &&
            !this.#mistyped.has(truthOf(each)),
        );
        return sum + own.length - new Set(own.map(({ release }) => release.chapter.truth)).size;
      }, 0);
    return {
      problems: [...this.#problems.values()],
      files: files.length,
      doubled: doubledOf(TITLE_KINDS),
      doubledInOneNumbering: doubledOf(['continuous']),
    };
  }

  async stop(): Promise<void> {
    await this.harness.stop();
  }

  #createSeries(index: number): Series {
    const kind = TITLE_KINDS[(this.seed + index) % TITLE_KINDS.length] ?? 'continuous';
    const name = `Title ${index} ${kind}`;
    const title = { ...syncTitle(name), id: uuidOf('random year', this.seed, name) };
    this.harness.service.library.putTitle(title);
    // Small titles.
    const chapters = trueChapters(kind, () => this.#random() * 0.15);
    const withoutVolumes = new Set(GROUPS.filter(() => this.#happens(0.25)));
    const { id } = title;
    return {
      name,
      kind,
      target: id,
      titleId: id,
      chapters,
      releases: [],
      withoutVolumes,
      uploaded: 0,
    };
  }

  #happens(share: number): boolean {
    return this.#random() < share;
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }

  #report(problem: string): void {
    const since = `seed ${this.seed}, since step ${this.#step}: ${problem}`;
    this.#problems.set(problem, this.#problems.get(problem) ?? since);
  }

  #passStep(): void {
    this.harness.clock.advance(STEP_DAYS * DAY_MS);
    for (const series of this.#series) {
      this.#correct(series);
      this.#nameVolumes(series);
      this.#uploadChapters(series);
      this.#deleteReleases(series);
      this.#changeTitle(series);
    }
    this.#changeWishes();
    this.#removeFile();
  }

  /** Wrong numbers stay for one run. */
  #correct(series: Series): void {
    for (const release of series.releases) {
      const number = String(release.chapter.number);
      if (release.isListed && release.number !== number) this.#edit(release, { number });
    }
    const release = this.#happens(0.3) ? this.#pick(series.releases) : undefined;
    if (release?.isListed) this.#edit(release, { title: `Part ${this.#step}` });
  }

  #nameVolumes({ releases }: Series): void {
    for (const release of releases)
      if (release.isListed && release.volume === undefined && this.#happens(0.3))
        this.#edit(release, { volume: String(release.chapter.volume) });
  }

  #uploadChapters(series: Series): void {
    const due = Math.ceil((series.chapters.length * this.#step) / STEPS);
    for (const chapter of series.chapters.slice(series.uploaded, due)) {
      const groups = GROUPS.filter((group) => this.#happens(group === 'Good' ? 0.8 : 0.5));
      for (const group of groups.length > 0 ? groups : ['Good' as const])
        this.#upload(series, group, chapter, this.#happens(0.04));
    }
    series.uploaded = due;
    // Another group fills gaps, much later.
    const old = this.#happens(0.5) ? this.#pick(series.chapters.slice(0, due)) : undefined;
    const group = this.#pick(GROUPS) ?? 'Good';
    const hasIt = series.releases.some((each) => each.chapter === old && each.group === group);
    if (old && !hasIt) this.#upload(series, group, old, false);
  }

  #upload(series: Series, group: GroupName, chapter: TrueChapter, isMistyped: boolean): void {
    const id = uuidOf('random year', this.seed, series.name, series.releases.length);
    const isUnnamed = series.withoutVolumes.has(group) || this.#happens(0.2);
    const release: Release = {
      id,
      group,
      chapter,
      number: String(chapter.number + (isMistyped ? 1 : 0)),
      volume: isUnnamed ? undefined : String(chapter.volume),
      title: undefined,
      isListed: true,
    };
    series.releases.push(release);
    this.#byId.set(id, { series, release });
    if (isMistyped) this.#mistyped.add(truthOf({ series, release }));
    this.harness.service.library.putChapter(
      plainChapter(
        {
          id,
          titleId: series.titleId,
          groups: [{ id: uuidOf('random year group', group), name: group }],
          at: this.#time(series.releases.length),
          ...attributesOf(release),
        },
        1,
      ),
    );
  }

  #edit(release: Release, change: Partial<Pick<Release, 'number' | 'volume' | 'title'>>): void {
    const { library } = this.harness.service;
    const chapter = library.chapter(release.id);
    if (!chapter) throw new Error(release.id);
    Object.assign(release, change);
    library.putChapter(editChapter(chapter, this.#time(0), attributesOf(release)));
  }

  /** Some are uploaded again at once, with another id. */
  #deleteReleases(series: Series): void {
    for (const release of series.releases.filter(({ isListed }) => isListed)) {
      if (!this.#happens(0.03)) continue;
      release.isListed = false;
      this.harness.service.library.removeChapter(release.id);
      if (this.#happens(0.4)) this.#upload(series, release.group, release.chapter, false);
    }
  }

  #changeTitle(series: Series): void {
    const { library } = this.harness.service;
    const title = library.title(series.titleId);
    if (!title) throw new Error(series.name);
    if (series.kind === 'restart' && this.#happens(0.1)) {
      const numbersRestart = { chapterNumbersResetOnNewVolume: this.#happens(0.7) };
      library.putTitle(editTitle(title, this.#time(0), numbersRestart));
    }
    if (!this.#happens(0.04)) return;
    const merged = { ...title, id: uuidOf('random year', this.seed, series.name, this.#step) };
    library.putTitle(merged);
    library.mergeTitle(series.titleId, merged.id);
    series.titleId = merged.id;
  }

  #changeWishes(): void {
    if (this.#happens(0.6)) return;
    const language = this.#pick([['en'], ['pt-br', 'en'], ['en', 'pt-br']]) ?? ['en'];
    const group = this.#pick([[], ['Good'], ['Fast'], ['Good', 'Fast']] as const) ?? [];
    const excluded = this.#happens(0.15) ? (['Fast'] as const) : [];
    this.#wishes = { language, group, 'exclude-group': excluded, upgrade: this.#happens(0.6) };
  }

  /** What the owner removes does not come back. */
  #removeFile(): void {
    const file = this.#happens(0.1) ? this.#pick(this.harness.base.archives()) : undefined;
    if (file === undefined || file.includes('/.')) return;
    for (const id of idsIn(file)) this.#removedByOwner.add(id);
    rmSync(file);
  }

  async #sync(): Promise<readonly SyncLine[]> {
    const before = new Set(this.#releasesOnDisk().map(({ release }) => release.id));
    const series = this.#series.map(({ target }) =>
      JSON.stringify({ target: `title:${target}`, ...this.#wishes }),
    );
    this.harness.write(`series:\n${series.map((line) => `  - ${line}\n`).join('')}`);
    const { code, lines, stderr } = await this.harness.sync({}, OPTIONS);
    if (code !== 0) this.#report(`exit code ${code}: ${stderr}`);
    for (const { type, chapter } of lines) {
      if (typeof chapter !== 'string') continue;
      if (type === 'chapter-started') continue;
      if (type !== 'chapter-saved') this.#named.add(chapter);
      else if (before.has(chapter) || this.#removedByOwner.has(chapter))
        this.#report(`${this.#describe(chapter)} was had, and is loaded again`);
    }
    const onDisk = this.#releasesOnDisk();
    this.#saved = new Set(onDisk.map((each) => truthOf(each)));
    for (const truth of this.#saved) this.#had.add(truth);
    return lines;
  }

  /** Every chapter that is wished for is there, or one of its releases was named. */
  #checkMissing(): void {
    const removed = new Set([...this.#removedByOwner].map((id) => this.#truthOfId(id)));
    for (const series of this.#series) {
      const mistyped = series.releases.filter(
        ({ isListed, number, chapter }) => isListed && number !== String(chapter.number),
      );
      const wished = series.releases.filter((release) => this.#isWished(release));
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

  #isWished({ isListed, group }: Release): boolean {
    const { language, 'exclude-group': excluded } = this.#wishes;
    return isListed && language.includes(LANGUAGES[group]) && !excluded.includes(group);
  }

  /** The pages of each chapter that ever was there are on the disk, if the service has it no more. */
  #checkPages(): void {
    const everywhere = new Set(
      this.harness.base.files().flatMap((file) => idsIn(file).map((id) => this.#truthOfId(id))),
    );
    const removed = new Set([...this.#removedByOwner].map((id) => this.#truthOfId(id)));
    for (const series of this.#series) {
      for (const [chapter, releases] of groupBy(series.releases, (release) => release.chapter)) {
        const truth = truthOf({ series, release: { chapter } });
        if (releases.some(({ isListed }) => isListed)) continue;
        if (this.#had.has(truth) && !everywhere.has(truth) && !removed.has(truth))
          this.#report(`${truth} was deleted by the service, and its pages are gone`);
      }
    }
  }

  /** The releases of the chapter files, hidden folders excepted. */
  #releasesOnDisk() {
    const visible = chapterFiles(this.harness.base.output);
    return visible.flatMap((file) => idsIn(file)).flatMap((id) => this.#byId.get(id) ?? []);
  }

  #truthOfId(id: string): string {
    const found = this.#byId.get(id);
    return found ? truthOf(found) : id;
  }

  #describe(id: string): string {
    const found = this.#byId.get(id);
    if (!found) return id;
    const { group, number, volume = 'none' } = found.release;
    return `${truthOf(found)} (${group}, volume ${volume}, number ${number}, ${id})`;
  }

  #time(seconds: number): string {
    const ms = this.harness.clock.wallMs() - HOUR_MS + seconds * 1_000;
    return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
  }
}

interface Truth {
  readonly series: Pick<Series, 'name'>;
  readonly release: { readonly chapter: TrueChapter };
}

const truthOf = ({ series, release }: Truth): string => `${series.name}, ${release.chapter.truth}`;

const attributesOf = (release: Release): Partial<ChapterAttributes> => ({
  chapter: release.number,
  volume: release.volume ?? null,
  title: release.title ?? null,
  translatedLanguage: LANGUAGES[release.group],
});

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
