/**
 * Chapters without a volume get that of their other releases: groups often add it in one language only. Needed where
 * chapters are grouped by volume; it is marked as inferred, since the service does not say it of these chapters.
 */
import { thrownMessage } from '../core/errors.js';
import { fetchListedVolumes, type Chapter, type ListedNumber } from '../service/chapters.js';
import type { ServiceClient } from '../service/client.js';
import { groupBy } from '../core/group-by.js';
import { numberKey } from './reading-order.js';
import type { ChapterKeys } from './same-chapter.js';
import { runsOfVolumes } from './same-chapter/volume-runs.js';
import { isTolerable } from './title-loader.js';

/** Whether other releases may name the volume of the chapter in its place. */
export function lacksVolume({ volume, number }: Pick<Chapter, 'volume' | 'number'>): boolean {
  return volume === undefined && number !== undefined;
}

/**
 * The chapters of one title. Where numbers begin again, only the volumes of a chapter's own run count.
 * @param listed what the service lists of the title
 * @param keys of all known releases of the title; without them, a number that is in several runs has no volume
 */
export function inferVolumes<T extends Pick<Chapter, 'id' | 'volume' | 'number'>>(
  chapters: readonly T[],
  listed: readonly ListedNumber[],
  keys?: Pick<ChapterKeys, 'runOf' | 'runOfVolume' | 'hasSeveralRuns'>,
): readonly (T & Pick<Chapter, 'isVolumeInferred'>)[] {
  const known = keys?.hasSeveralRuns ? keys : undefined;
  const listedRuns = runsOfVolumes(listed, false);
  const byRun = groupBy(listed, ({ volume }) =>
    known ? known.runOfVolume(volume) : listedRuns.get(numberKey(volume)),
  );
  const volumes = new Map([...byRun].map(([run, numbers]) => [run, volumesByNumber(numbers)]));
  return chapters.map((chapter) => {
    if (!lacksVolume(chapter)) return chapter;
    const inRuns = known ? [volumes.get(known.runOf(chapter))] : [...volumes.values()];
    const found = inRuns.filter((each) => each?.has(numberKey(chapter.number)));
    const volume = found.length === 1 ? found[0]?.get(numberKey(chapter.number)) : undefined;
    return volume === undefined ? chapter : { ...chapter, volume, isVolumeInferred: true };
  });
}

/** The volumes that these releases name, one by one. */
export function listedNumbers(
  releases: readonly Pick<Chapter, 'volume' | 'number'>[],
): readonly ListedNumber[] {
  return releases.flatMap(({ number, volume }) =>
    number === undefined || volume === undefined ? [] : [{ number, volume, releases: 1 }],
  );
}

/** The volume that more than half of the releases of a number name; undefined where groups disagree. */
function volumesByNumber(listed: readonly ListedNumber[]): ReadonlyMap<string, string | undefined> {
  const counts = new Map<string, Map<string, number>>();
  for (const { number, volume, releases } of listed) {
    const ofNumber = counts.get(numberKey(number)) ?? new Map<string, number>();
    counts.set(numberKey(number), ofNumber);
    const key = numberKey(volume);
    ofNumber.set(key, (ofNumber.get(key) ?? 0) + releases);
  }
  return new Map(
    [...counts].map(([number, ofNumber]) => {
      const total = [...ofNumber.values()].reduce((sum, releases) => sum + releases, 0);
      const [most] = [...ofNumber].find(([, releases]) => releases > total / 2) ?? [];
      return [number, most] as const;
    }),
  );
}

interface ReadOptions {
  readonly client: ServiceClient;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Empty if the service does not list them: the chapters have no volume then. Throws errors that concern the whole run. */
export async function readListedVolumes(
  titleId: string,
  { client, warn, signal }: ReadOptions,
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
