/**
 * Selects the chapters of a plan: those that are targets first, then those of titles and lists in reading order, each
 * once. Says why where nothing matches, and asks for a language where a title has several and none was given.
 */
import type { Chapter } from '../../service/chapters.js';
import { fetchFeedTotal } from '../../service/feeds.js';
import { ChapterError } from '../../core/errors.js';
import { isUnavailable } from '../../events/reasons.js';
import { skip, type Release, type Skip } from '../../plan/change.js';
import { chapterFields } from '../../selection/chapter-fields.js';
import { describeExternal } from '../../events/chapter-fields.js';
import { explainEmptySelection, explainUnknownGroups } from '../../selection/explain-selection.js';
import type { Resolution } from '../../selection/resolve-targets.js';
import { unavailableReason } from '../../selection/exclusions.js';
import {
  selectChapters,
  type ExcludedChapter,
  type SelectionOptions,
} from '../../selection/select-chapters.js';
import type { FailedTarget } from '../download-result.js';
import type { DownloadSession } from '../download-session.js';
import type { KnownTitles, UnreadTitle } from '../known-title.js';

/** What is selected, and what does not depend on files. */
export interface PlanSelection {
  readonly named: readonly Release[];
  readonly titles: readonly UnreadTitle[];
  readonly skipped: readonly Skip[];
  readonly failed: readonly FailedTarget[];
}

export async function selectForPlan(
  resolution: Resolution,
  known: KnownTitles,
  session: DownloadSession,
): Promise<PlanSelection> {
  const { unusableTitleIds, series } = resolution;
  const { request, warn } = session;
  const nowMs = session.context.clock.wallMs();
  const wrongClock = session.service.describeWrongClock();
  const named = new Map<string, Release>();
  const titles: UnreadTitle[] = [];
  const skipped: Skip[] = [];
  const failed = [...failedTargets(resolution)];
  // Without its title, a chapter's metadata makes a file name that chapters of other titles may share.
  const toRelease = (chapter: Chapter, why: string): Release => {
    const isUsable = chapter.partialTitle ?? !unusableTitleIds.has(chapter.titleId ?? '');
    return { id: chapter.id, chapter: isUsable ? chapter : undefined, why };
  };
  for (const chapter of resolution.chapters) {
    const unavailable = unavailableReason(chapter, nowMs);
    if (!unavailable) named.set(chapter.id, toRelease(chapter, 'named'));
    else if (unavailable.reason === 'chapter-unavailable')
      skipped.push(skip(chapter, 'chapter-unavailable'));
    else failed.push({ id: chapter.id, error: toError(unavailable, chapter, wrongClock) });
  }
  for (const id of resolution.idsWithoutMetadata)
    named.set(id, { id, chapter: undefined, why: 'named' });
  const reportedIds = new Set([...failed, ...skipped].map(({ id }) => id));
  const selection = await withLanguages(resolution, session, nowMs);
  for (const titleSeries of series) {
    const { titleId, chapters } = titleSeries;
    const title = known.get(titleId);
    if (!title) continue;
    const found = selectChapters(chapters, selection, { nowMs, keys: title.keys });
    titles.push({
      ...title,
      releases: chapters,
      selected: found.selected.map(({ chapter, explanation }) => toRelease(chapter, explanation)),
      excluded: found.excluded.filter(
        ({ chapter, reason }) => !isUnavailable(reason) || !reportedIds.has(chapter.id),
      ),
    });
    const isMatched =
      found.selected.length > 0 ||
      found.excluded.some(({ reason }) => isUnavailable(reason)) ||
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
  const excluded = titles.flatMap((title) => title.excluded);
  warnOfWrongClock(excluded, wrongClock, warn);
  return { named: [...named.values()], titles, skipped, failed };
}

export function failedTargets({ failures }: Resolution): readonly FailedTarget[] {
  return failures.map(({ target: { kind, id }, error }) => ({
    id,
    error,
    ...(kind !== 'any' && kind !== 'chapter' && { target: `${kind}:${id}` }),
  }));
}

/** No chapter of the last days is not a mistake: a script asks each night. */
function hasOlderOnly(excluded: readonly ExcludedChapter[], { since }: SelectionOptions): boolean {
  return since !== undefined && 'agoMs' in since && excluded.some(isOlder);
}

/** A period chooses among the titles of a list too. */
const isOutsidePeriod = ({ reason }: ExcludedChapter) =>
  reason === 'before-since' || reason === 'after-until';
const isOlder = ({ reason }: ExcludedChapter) => reason === 'before-since';

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
  { titleId, chapters }: Resolution['series'][number],
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
  excluded: readonly ExcludedChapter[],
  wrongClock: string | undefined,
  warn: DownloadSession['warn'],
): void {
  const unpublished = excluded.filter(({ reason }) => reason === 'chapter-unpublished').length;
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
