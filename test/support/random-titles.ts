/**
 * A year of titles on the service, and of a subscriber who changes what is wished for: uploads, edits, deletions,
 * renumberings, volumes named late, merges. Each release knows which chapter it truly is.
 */
import type { Chapter } from '../../src/service/chapters.js';
import {
  editChapter,
  editTitle,
  uuidOf,
  type ChapterAttributes,
  type Library,
} from '../../src/practice-server/library/library.js';
import { createTitle, plainChapter } from '../../src/practice-server/library/story-chapter.js';
import { trueChapters, TITLE_KINDS, type TitleKind, type TrueChapter } from './generated-titles.js';
import { seeded } from './seeded.js';

export const STEPS = 14;
export const STEP_MS = 26 * 86_400_000;
const TITLES = 3;
const GROUPS = ['Good', 'Fast', 'Brasil'] as const;
type GroupName = (typeof GROUPS)[number];
const LANGUAGES: Readonly<Record<GroupName, string>> = { Good: 'en', Fast: 'en', Brasil: 'pt-br' };
export const LANGUAGE_CODES = ['en', 'pt-br'];

export interface Release {
  readonly id: string;
  readonly group: GroupName;
  readonly chapter: TrueChapter;
  readonly uploadedAt: string;
  /** The number that the service lists. */
  number: string;
  volume: string | undefined;
  title: string | undefined;
  isListed: boolean;
}

export interface Series {
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

export interface Wishes {
  readonly language: readonly string[];
  readonly group: readonly GroupName[];
  readonly 'exclude-group': readonly GroupName[];
  readonly upgrade: boolean;
}

interface Truth {
  readonly series: Pick<Series, 'name'>;
  readonly release: { readonly chapter: TrueChapter };
}

export const truthOf = ({ series, release }: Truth): string =>
  `${series.name}, ${release.chapter.truth}`;

/** The same seed gives the same year. */
export class RandomTitles {
  readonly series: readonly Series[];
  wishes: Wishes = { language: ['en'], group: [], 'exclude-group': [], upgrade: false };
  readonly #random: () => number;
  readonly #byId = new Map<string, { readonly series: Series; readonly release: Release }>();
  #step = 0;

  constructor(
    private readonly seed: number,
    private readonly library: Library,
    private readonly nowMs: () => number,
  ) {
    this.#random = seeded(seed);
    this.series = Array.from({ length: TITLES }, (_, index) => this.#createSeries(index));
  }

  find(id: string): { readonly series: Series; readonly release: Release } | undefined {
    return this.#byId.get(id);
  }

  truthOfId(id: string): string {
    const found = this.find(id);
    return found ? truthOf(found) : id;
  }

  /** Whether the subscriber wishes for the release, which the service lists. */
  isWished({ isListed, group }: Release): boolean {
    const { language, 'exclude-group': excluded } = this.wishes;
    return isListed && language.includes(LANGUAGES[group]) && !excluded.includes(group);
  }

  /**
   * What happens in a step.
   * @returns one of `files` that its owner removes
   */
  pass<File>(files: readonly File[]): File | undefined {
    this.#step += 1;
    for (const series of this.series) {
      this.#correct(series);
      this.#nameVolumes(series);
      this.#uploadChapters(series);
      this.#deleteReleases(series);
      this.#changeTitle(series);
    }
    this.#changeWishes();
    return this.#happens(0.1) ? this.#pick(files) : undefined;
  }

  #createSeries(index: number): Series {
    const kind = TITLE_KINDS[(this.seed + index) % TITLE_KINDS.length] ?? 'continuous';
    const name = `Title ${index} ${kind}`;
    const id = uuidOf('random year', this.seed, name);
    const createdAt = '2024-01-01T00:00:00+00:00';
    this.library.putTitle(
      createTitle({ id, title: { en: name }, createdAt, updatedAt: createdAt }),
    );
    // Small titles.
    const chapters = trueChapters(kind, () => this.#random() * 0.15);
    const withoutVolumes = new Set(GROUPS.filter(() => this.#happens(0.25)));
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
      uploadedAt: this.#time(series.releases.length),
      number: String(chapter.number + (isMistyped ? 1 : 0)),
      volume: isUnnamed ? undefined : String(chapter.volume),
      title: undefined,
      isListed: true,
    };
    series.releases.push(release);
    this.#byId.set(id, { series, release });
    this.library.putChapter(
      plainChapter(
        {
          id,
          titleId: series.titleId,
          groups: groupsOf(release),
          at: release.uploadedAt,
          ...attributesOf(release),
        },
        1,
      ),
    );
  }

  #edit(release: Release, change: Partial<Pick<Release, 'number' | 'volume' | 'title'>>): void {
    const chapter = this.library.chapter(release.id);
    if (!chapter) throw new Error(release.id);
    Object.assign(release, change);
    this.library.putChapter(editChapter(chapter, this.#time(0), attributesOf(release)));
  }

  /** Some are uploaded again at once, with another id. */
  #deleteReleases(series: Series): void {
    for (const release of series.releases.filter(({ isListed }) => isListed)) {
      if (!this.#happens(0.03)) continue;
      release.isListed = false;
      this.library.removeChapter(release.id);
      if (this.#happens(0.4)) this.#upload(series, release.group, release.chapter, false);
    }
  }

  #changeTitle(series: Series): void {
    const title = this.library.title(series.titleId);
    if (!title) throw new Error(series.name);
    if (series.kind === 'restart' && this.#happens(0.1)) {
      const numbersRestart = { chapterNumbersResetOnNewVolume: this.#happens(0.7) };
      this.library.putTitle(editTitle(title, this.#time(0), numbersRestart));
    }
    if (!this.#happens(0.04)) return;
    const merged = { ...title, id: uuidOf('random year', this.seed, series.name, this.#step) };
    this.library.putTitle(merged);
    this.library.mergeTitle(series.titleId, merged.id);
    series.titleId = merged.id;
  }

  #changeWishes(): void {
    if (this.#happens(0.6)) return;
    const language = this.#pick([['en'], ['pt-br', 'en'], ['en', 'pt-br']]) ?? ['en'];
    const group = this.#pick([[], ['Good'], ['Fast'], ['Good', 'Fast']] as const) ?? [];
    const excluded = this.#happens(0.15) ? (['Fast'] as const) : [];
    this.wishes = { language, group, 'exclude-group': excluded, upgrade: this.#happens(0.6) };
  }

  #time(seconds: number): string {
    const ms = this.nowMs() - 3_600_000 + seconds * 1_000;
    return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
  }
}

const groupsOf = ({ group }: Release) => [{ id: uuidOf('random year group', group), name: group }];

const attributesOf = (release: Release): Partial<ChapterAttributes> => ({
  chapter: release.number,
  volume: release.volume ?? null,
  title: release.title ?? null,
  translatedLanguage: LANGUAGES[release.group],
});

/** A release as the client reads it from the service's response. */
export function listedChapter(release: Release): Chapter {
  const uploadedAt = new Date(release.uploadedAt);
  return {
    id: release.id,
    number: release.number,
    volume: release.volume,
    title: release.title,
    language: LANGUAGES[release.group],
    pages: 1,
    externalUrl: undefined,
    isUnavailable: false,
    version: 1,
    publishAt: uploadedAt,
    readableAt: uploadedAt,
    createdAt: uploadedAt,
    groups: groupsOf(release),
    titleId: undefined,
    partialTitle: undefined,
  };
}
