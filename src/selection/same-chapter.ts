/**
 * Which releases are of one chapter: those with the same number in the same run of volumes (volume-runs.ts). The service's
 * flag for numbers that restart is set by hand, and often missing; groups disagree on volumes, and the newest chapters
 * have none yet. In doubt there are two chapters: a file too many is seen, a missing one is not. Pure.
 */
import { letterKey, nameKey } from '../core/name-keys.js';
import type { Chapter } from '../service/chapters.js';
import { groupBy } from '../core/group-by.js';
import { unavailableReason } from './exclusions.js';
import { compareNumbers, numberKey } from './reading-order.js';
import { creditsOf, runsOfVolumes, volumeRuns, type Upload } from './same-chapter/volume-runs.js';

/** What decides of which chapter a release is. */
export type KnownRelease = Pick<
  Chapter,
  | 'id'
  | 'number'
  | 'volume'
  | 'isVolumeInferred'
  | 'title'
  | 'language'
  | 'groups'
  | 'uploaderId'
  | 'pages'
  | 'externalUrl'
  | 'isUnavailable'
  | 'publishAt'
  | 'readableAt'
  | 'createdAt'
>;

export interface ChapterKeys {
  /** Equal for releases of one chapter, in any language and of any group. */
  readonly keyOf: (release: Pick<KnownRelease, 'id'>) => string;
  /** The run of volumes, from 0. */
  readonly runOf: (release: Pick<KnownRelease, 'id'>) => number;
  /** Undefined for a volume that no release names. */
  readonly runOfVolume: (volume: string) => number | undefined;
  readonly hasSeveralRuns: boolean;
  /** Whether numbers begin again in a later volume: the service says so, or the volumes that it names show it. */
  readonly numbersRestart: boolean;
  /** Whether the releases of other languages may show of which runs some are. */
  readonly areRunsGuessed: boolean;
  /** The reading order: by run, then by number, those without one last, then by time. */
  readonly compare: (a: OrderedRelease, b: OrderedRelease) => number;
}

type OrderedRelease = Pick<KnownRelease, 'id' | 'number' | 'volume' | 'publishAt'>;

export interface ChapterKeyOptions {
  /** Whether the service says that numbers restart in each volume. */
  readonly numbersRestart: boolean;
  readonly nowMs: number;
}

/** @param releases all that are known of the title: listed by the service in any language, and in files */
export function chapterKeys(
  releases: readonly KnownRelease[],
  { numbersRestart, nowMs }: ChapterKeyOptions,
): ChapterKeys {
  const uploads = inUploadOrder(releases, nowMs);
  const { runs, ofVolumes, areGuessed } = volumeRuns(uploads, numbersRestart);
  const runOf = ({ id }: Pick<KnownRelease, 'id'>) => runs.get(id) ?? 0;
  const keys = new Map<string, string>();
  for (const [key, sameNumber] of groupBy(uploads, (upload) => numberInRun(upload, runs)))
    for (const [index, chapter] of intoChapters(sameNumber).entries())
      for (const { id } of chapter) keys.set(id, index === 0 ? key : `${key} ${index}`);
  return {
    keyOf: ({ id }) => keys.get(id) ?? id,
    runOf,
    runOfVolume: (volume) => ofVolumes.get(numberKey(volume)),
    hasSeveralRuns: new Set(runs.values()).size > 1,
    numbersRestart: numbersRestart || areSeveral(ofVolumes),
    areRunsGuessed: areGuessed,
    compare: (a, b) =>
      runOf(a) - runOf(b) ||
      compareNumbers(a.number, b.number) ||
      compareNumbers(a.volume, b.volume) ||
      (a.publishAt?.getTime() ?? 0) - (b.publishAt?.getTime() ?? 0) ||
      (a.id < b.id ? -1 : 1),
  };
}

/** The runs of the volumes that these releases name. */
export function namedRuns(
  releases: readonly Pick<KnownRelease, 'number' | 'volume'>[],
  { numbersRestart }: Pick<ChapterKeyOptions, 'numbersRestart'>,
): Pick<ChapterKeys, 'runOfVolume' | 'numbersRestart'> {
  const runs = runsOfVolumes(releases, numbersRestart);
  return {
    runOfVolume: (volume) => runs.get(numberKey(volume)),
    numbersRestart: numbersRestart || areSeveral(runs),
  };
}

function areSeveral(runs: ReadonlyMap<string, number>): boolean {
  return new Set(runs.values()).size > 1;
}

/** Equal for titles of one chapter, as far as groups write them alike. Empty without a title. */
export function titleKey({ title = '' }: Pick<Chapter, 'title'>): string {
  return letterKey(title) || nameKey(title);
}

/** Whether the service names a volume for both releases, and not the same one. */
export function haveOtherVolumes(a: NamedRelease, b: NamedRelease): boolean {
  const [first, second] = [namedVolume(a), namedVolume(b)];
  return first !== '' && second !== '' && first !== second;
}

/**
 * Whether the file of a saved release may be replaced by another release: of the same chapter, and of the same volume as
 * far as both name one. Releases that are requested themselves are never asked about. That the file is tankobon's own,
 * and did not change since it was read, is checked right before it is replaced (library/ownership.ts).
 */
export function mayReplace(
  saved: NamedRelease & Pick<KnownRelease, 'id'>,
  by: NamedRelease & Pick<KnownRelease, 'id'>,
  { keyOf }: Pick<ChapterKeys, 'keyOf'>,
): boolean {
  return saved.id === by.id || (keyOf(saved) === keyOf(by) && !haveOtherVolumes(saved, by));
}

/**
 * Whether a person may take two releases of one chapter for two chapters: they are of one group, or their volumes or
 * titles differ.
 */
export function mayBeTwo(a: NamedRelease & CreditedRelease, b: NamedRelease & CreditedRelease) {
  if (namedVolume(a) !== namedVolume(b)) return true;
  if (a.language !== b.language) return false;
  const credits = creditsOf(b);
  const shareGroup = creditsOf(a).some((credit) => credits.includes(credit));
  return shareGroup || haveOtherTitles(titleKey(a), titleKey(b));
}

/** A missing title differs from none. */
function haveOtherTitles(a: string, b: string): boolean {
  return a !== '' && b !== '' && a !== b;
}

type NamedRelease = Pick<KnownRelease, 'volume' | 'isVolumeInferred' | 'title'>;
type CreditedRelease = Pick<KnownRelease, 'language' | 'groups' | 'uploaderId'>;

function namedVolume({ volume, isVolumeInferred }: NamedRelease): string {
  return isVolumeInferred ? '' : numberKey(volume);
}

/** Each release once, by the time of its upload; one without a time was uploaded with the one before it in the list. */
function inUploadOrder(releases: readonly KnownRelease[], nowMs: number): readonly Upload[] {
  const byId = new Map<string, Upload & { readonly hasTime: boolean }>();
  let lastMs = 0;
  for (const release of releases) {
    if (byId.has(release.id)) continue;
    const { id, number, volume, language, createdAt, readableAt, publishAt } = release;
    const time = createdAt ?? readableAt ?? publishAt;
    lastMs = time?.getTime() ?? lastMs;
    byId.set(id, {
      id,
      number,
      volume: release.isVolumeInferred ? undefined : volume,
      language,
      titleKey: titleKey(release),
      credits: creditsOf(release),
      uploadedAtMs: lastMs,
      isReadable: !unavailableReason(release, nowMs),
      hasTime: time !== undefined,
    });
  }
  return [...byId.values()].sort(
    (a, b) =>
      a.uploadedAtMs - b.uploadedAtMs || (a.hasTime && b.hasTime ? (a.id < b.id ? -1 : 1) : 0),
  );
}

/** Chapters without a number are only the same in one volume. */
function numberInRun({ id, number, volume }: Upload, runs: ReadonlyMap<string, number>): string {
  return number === undefined
    ? `unnumbered ${numberKey(volume)}`
    : `${runs.get(id) ?? 0}/${numberKey(number)}`;
}

/** The chapters of releases with one number, by time. */
function intoChapters(uploads: readonly Upload[]): readonly (readonly Upload[])[] {
  const chapters: Upload[][] = [];
  for (const upload of uploads) {
    const others = chapters.filter((chapter) => !chapter.some((each) => areTwo(each, upload)));
    const equal = others.find((chapter) =>
      chapter.some(({ titleKey: title }) => title === upload.titleKey),
    );
    const same = equal ?? (upload.number === undefined ? undefined : others[0]);
    if (same) same.push(upload);
    else chapters.push([upload]);
  }
  return chapters;
}

/** A group has one release of a chapter in a language, or has uploaded it again under the same title. */
function areTwo(a: Upload, b: Upload): boolean {
  if (a.language !== b.language) return false;
  const sharesGroup = a.credits.some((credit) => b.credits.includes(credit));
  // Two extras of one group look the same, and one of them may have been deleted.
  const isNameless = a.number === undefined && a.titleKey === '' && b.titleKey === '';
  if (isNameless) return sharesGroup || a.credits.length === 0 || b.credits.length === 0;
  return sharesGroup && a.isReadable && b.isReadable && haveOtherTitles(a.titleKey, b.titleKey);
}
