/**
 * Selects the chapters of a plan: those that are targets first, then those of titles and lists in reading order, each
 * once. Says why where nothing matches, and asks for a language where a title has several and none was given.
 */
import type { Chapter } from '../service/chapters.js';
import { fetchFeedTotal } from '../service/feeds.js';
import type { ExistingArchive } from '../library/scan.js';
import { ChapterError } from '../core/errors.js';
import {
  chapterFields,
  describeExternal,
  type ChapterFields,
} from '../selection/chapter-fields.js';
import { explainEmptySelection, explainUnknownGroups } from '../selection/explain-selection.js';
import type { Resolution, Series } from '../selection/resolve-targets.js';
import { unavailableReason } from '../selection/exclusions.js';
import {
  selectChapters,
  type ExcludedChapter,
  type SelectionOptions,
} from '../selection/select-chapters.js';
import type { SavedChapter } from './chapter-changes.js';
import type { FailedTarget } from './download-result.js';
import type { KnownTitles } from './known-title.js';
import type { DownloadSession } from './download-session.js';
import type { SkippedEvent, SkipReason } from './events.js';

export interface ChosenChapter {
  readonly id: string;
  readonly chapter: Chapter | undefined;
  readonly why: string;
  /** The archive to replace. */
  readonly replaces?: string | undefined;
  /** Set if its end is lost: it is kept under a second name. */
  readonly isDamaged?: boolean;
  /** The name that the archive gets then, and that of its series. */
  readonly renamed?: { readonly file: string; readonly series: string };
  /** The archive whose pages are compared with those of the service: if they are the same, they are not loaded. */
  readonly compared?: ComparedArchive;
}

export interface ComparedArchive {
  readonly archive: ExistingArchive;
  readonly saved: SavedChapter;
}

export interface SkippedChapter {
  readonly id: string;
  readonly reason: SkipReason;
  /** The existing archive, if there is one. */
  readonly file?: string;
}

export interface PlanSelection {
  readonly selected: readonly ChosenChapter[];
  readonly skipped: readonly SkippedChapter[];
  /** Releases that the selection excludes. */
  readonly excluded: readonly ExcludedChapter[];
  readonly failed: readonly FailedTarget[];
}

const UNAVAILABLE: readonly string[] = [
  'chapter-external',
  'chapter-unavailable',
  'chapter-unpublished',
];

export async function selectForPlan(
  resolution: Resolution,
  known: KnownTitles,
  session: DownloadSession,
): Promise<PlanSelection> {
  const { unusableTitleIds, series } = resolution;
  const { request, warn } = session;
  const nowMs = session.context.clock.wallMs();
  const wrongClock = session.service.describeWrongClock();
  const selected = new Map<string, ChosenChapter>();
  const skipped: SkippedChapter[] = [];
  const excluded: ExcludedChapter[] = [];
  const failed: FailedTarget[] = resolution.failures.map(({ target: { kind, id }, error }) => ({
    id,
    error,
    ...(kind !== 'any' && kind !== 'chapter' && { target: `${kind}:${id}` }),
  }));
  // Without its title, a chapter's metadata makes a file name that chapters of other titles may share.
  const add = (chapter: Chapter, why: string): void => {
    const isUsable = chapter.partialTitle ?? !unusableTitleIds.has(chapter.titleId ?? '');
    selected.set(chapter.id, { id: chapter.id, chapter: isUsable ? chapter : undefined, why });
  };
  for (const chapter of resolution.chapters) {
    const unavailable = unavailableReason(chapter, nowMs);
    if (!unavailable) add(chapter, 'named');
    else if (unavailable.reason === 'chapter-unavailable')
      skipped.push({ id: chapter.id, reason: 'chapter-unavailable' });
    else failed.push({ id: chapter.id, error: toError(unavailable, chapter, wrongClock) });
  }
  for (const id of resolution.idsWithoutMetadata)
    selected.set(id, { id, chapter: undefined, why: 'named' });
  const reportedIds = new Set([...failed, ...skipped].map(({ id }) => id));
  const selection = await withLanguages(resolution, session, nowMs);
  for (const titleSeries of series) {
    const { titleId, chapters } = titleSeries;
    const keys = known.get(titleId)?.keys;
    if (!keys) continue;
    const found = selectChapters(chapters, selection, { nowMs, keys });
    for (const { chapter, explanation } of found.selected)
      if (!selected.has(chapter.id)) add(chapter, explanation);
    for (const release of found.excluded) {
      const { chapter, reason } = release;
      if (!isUnavailable(release)) excluded.push(release);
      else if (!reportedIds.has(chapter.id))
        skipped.push({ id: chapter.id, reason: reason as SkipReason });
    }
    const isMatched =
      found.selected.length > 0 ||
      found.excluded.some(isUnavailable) ||
      hasOlderOnly(found.excluded, selection) ||
      (series.length > 1 && found.excluded.some(isOutsidePeriod));
    if (!isMatched) await warnOfEmptySelection(titleSeries, resolution, selection, session);
  }
  const all = series.flatMap(({ chapters }) => chapters);
  const groups = explainUnknownGroups(request.requestedGroups, all);
  if (groups !== undefined)
    warn(groups, 'Check the name; releases of other groups are selected instead.');
  const exclusions = explainUnknownGroups(request.requestedExclusions, all);
  if (exclusions !== undefined) warn(exclusions, 'Check the name; nothing is excluded for it.');
  warnOfWrongClock(skipped, wrongClock, warn);
  return { selected: [...selected.values()], skipped, excluded, failed };
}

/** No chapter of the last days is not a mistake: a script asks each night. */
function hasOlderOnly(excluded: readonly ExcludedChapter[], { since }: SelectionOptions): boolean {
  return since !== undefined && 'agoMs' in since && excluded.some(isOlder);
}

/** A period chooses among the titles of a list too. */
const isOutsidePeriod = ({ reason }: ExcludedChapter) =>
  reason === 'before-since' || reason === 'after-until';
const isOlder = ({ reason }: ExcludedChapter) => reason === 'before-since';
const isUnavailable = ({ reason }: ExcludedChapter) => UNAVAILABLE.includes(reason);

/** An event for each chapter that the plan skips. */
export function skippedEvents({
  skipped,
  fields,
}: {
  readonly skipped: readonly SkippedChapter[];
  readonly fields: ReadonlyMap<string, ChapterFields>;
}): readonly SkippedEvent[] {
  return skipped.map(({ id, reason, file }) => ({
    type: 'chapter-skipped',
    chapter: id,
    reason,
    file,
    ...fields.get(id),
  }));
}

/** The options with the languages that the user chooses now, if there is a choice. */
async function withLanguages(
  { series }: Resolution,
  { request, listeners, warn }: DownloadSession,
  nowMs: number,
): Promise<SelectionOptions> {
  const { selection, language: chosen } = request;
  const { chooseLanguages } = listeners;
  if (chosen !== undefined) return selection;
  const counts = new Map<string, number>();
  for (const { language } of series.flatMap(({ chapters }) =>
    chapters.filter((chapter) => !unavailableReason(chapter, nowMs)),
  ))
    counts.set(language, (counts.get(language) ?? 0) + 1);
  if (counts.size < 2) return selection;
  if (chooseLanguages) return { ...selection, languages: await chooseLanguages(counts) };
  warn(
    `No language chosen: downloading ${allOf([...counts.keys()].sort())}`,
    'Choose with --language en, or for all runs: tankobon config set language en',
  );
  return selection;
}

/** Part of a sentence, such as `both, en and pt-br`, or `all 3, en, es-la and pt-br`. */
function allOf(languages: readonly string[]): string {
  const list = `${languages.slice(0, -1).join(', ')} and ${languages.at(-1)}`;
  return languages.length === 2 ? `both, ${list}` : `all ${languages.length}, ${list}`;
}

async function warnOfEmptySelection(
  { titleId, chapters }: Series,
  { titles, series }: Resolution,
  options: SelectionOptions,
  { client, warn, signal }: DownloadSession,
): Promise<void> {
  const title = titles.get(titleId);
  // One more request, so not for each title of a list.
  const needsTotal = chapters.length === 0 && options.languages.length > 0 && series.length === 1;
  const total = needsTotal ? await fetchFeedTotal(client, titleId, signal) : undefined;
  warn(
    explainEmptySelection({
      titleName: title?.name,
      options,
      chapters,
      total,
      languages: title?.languages ?? [],
    }),
  );
}

function warnOfWrongClock(
  skipped: readonly SkippedChapter[],
  wrongClock: string | undefined,
  warn: DownloadSession['warn'],
): void {
  const unpublished = skipped.filter(({ reason }) => reason === 'chapter-unpublished').length;
  if (wrongClock === undefined || unpublished === 0) return;
  warn(
    `${unpublished} ${unpublished === 1 ? 'chapter counts' : 'chapters count'} as not published yet: ${wrongClock}`,
    'Set the clock of this machine, then run the same command again.',
  );
}

/** Its event names the chapter. */
function toError(
  { reason, explanation }: Pick<ExcludedChapter, 'reason' | 'explanation'>,
  chapter: Chapter,
  wrongClock: string | undefined,
): ChapterError {
  if (reason === 'chapter-external') {
    const { number, externalUrl } = chapterFields(chapter);
    return new ChapterError('chapter-external', describeExternal({ number, externalUrl }));
  }
  const clock = wrongClock === undefined ? '' : `; ${wrongClock}`;
  return new ChapterError(
    'chapter-unavailable',
    `No pages to load: ${explanation}${clock}`,
    clock ? { hint: 'Set the clock of this machine, then run the same command again.' } : {},
  );
}
