/**
 * Runs of volumes: volumes through which the numbers of chapters go on rising. Titles begin again with 1 in each volume,
 * in a second season, or in an epilogue, mostly without the service's flag for it. Pure.
 */
import type { Chapter } from '../../service/chapters.js';
import { leadingNumber } from '../../config/ranges.js';
import { compareNumbers, numberKey } from '../reading-order.js';

/** What decides of which run a release is. */
export interface Upload {
  readonly id: string;
  readonly number: string | undefined;
  /** That the service names; undefined for an inferred one. */
  readonly volume: string | undefined;
  readonly language: string;
  /** See titleKey. */
  readonly titleKey: string;
  /** See creditsOf. */
  readonly credits: readonly string[];
  readonly uploadedAtMs: number;
  /** The service has its pages now. */
  readonly isReadable: boolean;
}

export interface VolumeRuns {
  /** From 0, by the id of the release. */
  readonly runs: ReadonlyMap<string, number>;
  /** By numberKey of the volume. */
  readonly ofVolumes: ReadonlyMap<string, number>;
  /** Whether releases without a volume may be of other runs than they seem: releases in more languages may show it. */
  readonly areGuessed: boolean;
}

/** @param uploads by time */
export function volumeRuns(uploads: readonly Upload[], numbersRestart: boolean): VolumeRuns {
  const ofVolumes = runsOfVolumes(uploads, numbersRestart);
  const { runs, areGuessed } = new RunAssignment(uploads, ofVolumes);
  return { ofVolumes, runs, areGuessed };
}

/** The ids of the groups of a release; of one without a group, its uploader. Empty if neither is known. */
export function creditsOf({
  groups,
  uploaderId,
}: Pick<Chapter, 'groups' | 'uploaderId'>): readonly string[] {
  if (groups.length === 0) return uploaderId === undefined ? [] : [`uploader ${uploaderId}`];
  return groups.map(({ id, name }) => (id === '' ? `name ${name}` : id));
}

/** The run of each volume, by its numberKey. */
export function runsOfVolumes(
  uploads: readonly Pick<Upload, 'number' | 'volume'>[],
  numbersRestart: boolean,
): ReadonlyMap<string, number> {
  const numbers = new Map<string, Set<number>>();
  for (const { volume, number } of uploads) {
    if (leadingNumber(volume) === undefined) continue;
    const ofVolume = numbers.get(numberKey(volume)) ?? new Set<number>();
    numbers.set(numberKey(volume), ofVolume);
    const value = leadingNumber(number);
    if (value !== undefined) ofVolume.add(value);
  }
  const runs = new Map<string, number>();
  let run = 0;
  let before: ReadonlySet<number> | undefined;
  for (const [volume, own] of [...numbers].sort(([a], [b]) => compareNumbers(a, b))) {
    if (before && (numbersRestart || beginsRun(own, before))) run += 1;
    runs.set(volume, run);
    if (own.size > 0 || numbersRestart) before = own;
  }
  return runs;
}

/** Whether a volume with these numbers begins again, by the numbers of the volume before. */
function beginsRun(own: ReadonlySet<number>, before: ReadonlySet<number>): boolean {
  if (own.size === 0) return false;
  const medianBefore = median(before);
  if (median(own) <= medianBefore) return true;
  const shared = [...own].filter((number) => before.has(number)).length;
  const hasEarly = [...own].some((number) => number <= medianBefore);
  return hasEarly && shared * 2 > Math.min(own.size, before.size);
}

function median(numbers: ReadonlySet<number>): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}

/** Where the group's own nearest upload is this far away, one of another group counts that is three times as near. */
const FAR_MS = 21 * 24 * 3_600_000;
const TIMES_AS_NEAR = 3;
/** A number further than this above all those of a run does not continue it. */
const MAX_GAP = 5;

/**
 * Releases without a volume: of the only run that has the number, if their group names no volumes at all; otherwise of the
 * run of the nearest upload in time, of their group unless one of another is much nearer. If the number is far above those
 * of that run, and only one other has it, they are of that one. A number that the group has there already is of a run after the last.
 */
class RunAssignment {
  readonly runs = new Map<string, number>();
  areGuessed = false;
  readonly #named: Upload[] = [];
  readonly #namedByCredit = new Map<string, Upload[]>();
  readonly #runsByNumber = new Map<string, Set<number>>();
  /** By run. */
  readonly #highestNumbers = new Map<number, number>();
  readonly #taken = new Map<string, Upload[]>();
  #lastRun = 0;

  constructor(uploads: readonly Upload[], ofVolumes: ReadonlyMap<string, number>) {
    const unnamed: Upload[] = [];
    for (const upload of uploads) {
      const run = ofVolumes.get(numberKey(upload.volume));
      if (run === undefined) unnamed.push(upload);
      else this.#addNamed(upload, run);
    }
    for (const upload of unnamed) this.#assign(upload, this.#runOf(upload));
  }

  #addNamed(upload: Upload, run: number): void {
    this.#named.push(upload);
    for (const credit of upload.credits) addTo(this.#namedByCredit, credit, upload);
    const number = numberKey(upload.number);
    this.#runsByNumber.set(number, (this.#runsByNumber.get(number) ?? new Set()).add(run));
    this.#lastRun = Math.max(this.#lastRun, run);
    this.#assign(upload, run);
  }

  #assign(upload: Upload, run: number): void {
    this.runs.set(upload.id, run);
    const value = leadingNumber(upload.number) ?? -Infinity;
    this.#highestNumbers.set(run, Math.max(value, this.#highestIn(run)));
    for (const key of takenKeys(upload, run)) addTo(this.#taken, key, upload);
  }

  #runOf(upload: Upload): number {
    const own = upload.credits.flatMap((credit) => this.#namedByCredit.get(credit) ?? []);
    const inRuns = [...(this.#runsByNumber.get(numberKey(upload.number)) ?? [])];
    const only = own.length === 0 && inRuns.length === 1 ? inRuns[0] : undefined;
    const likely = only ?? this.#runInTime(upload, own);
    const free = inRuns.filter((each) => !this.#isTaken(upload, each));
    const other = free.length === 1 && this.#isFarAbove(upload, likely) ? free[0] : undefined;
    let run = other ?? likely;
    while (this.#isTaken(upload, run)) run = Math.max(run, this.#lastRun) + 1;
    if (inRuns.length > 0 || run !== likely) this.areGuessed = true;
    return run;
  }

  /** The run of the nearest upload in time; `own`: those of the release's groups. */
  #runInTime(upload: Upload, own: readonly Upload[]): number {
    const distanceMs = (each: Upload) => Math.abs(each.uploadedAtMs - upload.uploadedAtMs);
    const [ofGroup, ofAll] = [nearestInTime(own, upload), nearestInTime(this.#named, upload)];
    const isFar =
      !ofGroup ||
      (ofAll !== undefined &&
        distanceMs(ofGroup) >= FAR_MS &&
        distanceMs(ofGroup) > distanceMs(ofAll) * TIMES_AS_NEAR);
    const nearest = isFar ? ofAll : ofGroup;
    return this.runs.get(nearest?.id ?? '') ?? 0;
  }

  #isFarAbove({ number }: Upload, run: number): boolean {
    return (leadingNumber(number) ?? -Infinity) > this.#highestIn(run) + MAX_GAP;
  }

  #highestIn(run: number): number {
    return this.#highestNumbers.get(run) ?? -Infinity;
  }

  #isTaken(upload: Upload, run: number): boolean {
    if (upload.number === undefined || !upload.isReadable) return false;
    const earlier = takenKeys(upload, run).flatMap((key) => this.#taken.get(key) ?? []);
    // A group that uploads a chapter again gives it the same title.
    return earlier.some(
      ({ isReadable, titleKey }) => isReadable && (titleKey === '' || titleKey !== upload.titleKey),
    );
  }
}

function takenKeys({ credits, language, number }: Upload, run: number): readonly string[] {
  return credits.map((credit) => [credit, language, run, numberKey(number)].join('\n'));
}

/** The earlier one of two that are equally near. */
function nearestInTime(uploads: readonly Upload[], to: Upload): Upload | undefined {
  let nearest: Upload | undefined;
  let leastMs = Infinity;
  for (const upload of uploads) {
    const distanceMs = Math.abs(upload.uploadedAtMs - to.uploadedAtMs);
    if (distanceMs >= leastMs) continue;
    nearest = upload;
    leastMs = distanceMs;
  }
  return nearest;
}

function addTo<T>(map: Map<string, T[]>, key: string, item: T): void {
  const items = map.get(key);
  if (items) items.push(item);
  else map.set(key, [item]);
}
