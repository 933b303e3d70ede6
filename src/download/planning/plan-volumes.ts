/**
 * Gives the chapters of a plan the volumes of their other releases. One request for each title of which a selected
 * chapter lacks its volume, and only where chapters are bound by volume.
 */
import type { Chapter } from '../../service/chapters.js';
import { inferVolumes, lacksVolume, readListedVolumes } from '../../selection/infer-volumes.js';
import type { Resolution } from '../../selection/resolve-targets.js';
import { unavailableReason } from '../../selection/exclusions.js';
import { selectChapters } from '../../selection/select-chapters.js';
import type { DownloadSession } from '../download-session.js';
import type { KnownTitles } from '../known-title.js';

export type ListedVolumes = ReadonlyMap<string, Awaited<ReturnType<typeof readListedVolumes>>>;

/** `listedVolumes`: what the service lists of each title that was asked about, by its id. */
export async function inferPlanVolumes(
  resolution: Resolution,
  known: KnownTitles,
  session: DownloadSession,
): Promise<{ readonly resolution: Resolution; readonly listedVolumes: ListedVolumes }> {
  const listedVolumes = new Map<string, Awaited<ReturnType<typeof readListedVolumes>>>();
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
