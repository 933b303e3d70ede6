/**
 * Gives the chapters of a plan the volumes of their other releases. One request for each title of which a selected
 * chapter lacks its volume, and only where chapters are bound by volume.
 */
import { type Chapter, fetchListedVolumes, type ListedNumber } from '../../service/chapters.js';
import { inferVolumes, lacksVolume } from '../../selection/infer-volumes.js';
import type { Resolution } from '../../selection/resolve-targets.js';
import { unavailableReason } from '../../selection/exclusions.js';
import { selectChapters } from '../../selection/select-chapters.js';
import { isTolerable } from '../../selection/title-loader.js';
import { thrownMessage } from '../../core/errors.js';
import type { DownloadSession, ServiceSession } from '../download-session.js';
import type { KnownTitles } from '../known-title.js';

export type ListedVolumes = ReadonlyMap<string, readonly ListedNumber[]>;

/** `listedVolumes`: what the service lists of each title that was asked about, by its id. */
export async function inferPlanVolumes(
  resolution: Resolution,
  known: KnownTitles,
  session: DownloadSession,
): Promise<{ readonly resolution: Resolution; readonly listedVolumes: ListedVolumes }> {
  const listedVolumes = new Map<string, readonly ListedNumber[]>();
  for (const titleId of titlesWithoutVolumes(resolution, known, session))
    listedVolumes.set(titleId, await readListedVolumes(titleId, session));
  const infer = (titleId: string | undefined, chapters: readonly Chapter[]) =>
    inferVolumes(chapters, listedVolumes.get(titleId ?? '') ?? [], known.get(titleId ?? '')?.keys);
  return {
    resolution: {
      ...resolution,
      chapters: resolution.chapters.flatMap((chapter) => infer(chapter.titleId, [chapter])),
      series: resolution.series.map((series) => ({
        ...series,
        chapters: infer(series.titleId, series.chapters),
      })),
    },
    listedVolumes,
  };
}

/** The ids of titles whose numbers do not restart in each volume: otherwise a number does not determine the volume. */
function titlesWithoutVolumes(
  { chapters, series, titles }: Resolution,
  known: KnownTitles,
  { request, context }: DownloadSession,
): ReadonlySet<string> {
  const nowMs = context.clock.wallMs();
  const named = chapters.filter((chapter) => !unavailableReason(chapter, nowMs));
  const selected = series.flatMap((each) => {
    // A chapter without a volume may be of a selected one.
    const options = { ...request.selection, volumes: undefined };
    const keys = known.get(each.titleId)?.keys;
    const found = keys ? selectChapters(each.chapters, options, { nowMs, keys }) : undefined;
    return (found?.selected ?? []).map(({ chapter }) => ({ ...chapter, titleId: each.titleId }));
  });
  return new Set(
    [...named, ...selected].filter(lacksVolume).flatMap(({ titleId, partialTitle }) => {
      const title = titles.get(titleId ?? '') ?? partialTitle;
      return titleId === undefined || title?.numbersRestart ? [] : [titleId];
    }),
  );
}

/** Empty if the service does not list them: the chapters have no volume then. Throws errors that concern the whole run. */
export async function readListedVolumes(
  titleId: string,
  { client, warn, signal }: Pick<ServiceSession, 'client' | 'warn' | 'signal'>,
): Promise<readonly ListedNumber[]> {
  try {
    return await fetchListedVolumes(client, titleId, signal);
  } catch (error) {
    if (!isTolerable(error)) throw error;
    warn(
      `Volumes cannot be inferred, so chapters without one stay without: ${thrownMessage(error)}`,
    );
    return [];
  }
}
