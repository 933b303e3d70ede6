/**
 * Chapters without a volume get that of their other releases: groups often add it in one language only. Needed where
 * chapters are grouped by volume; it is marked as inferred, since the service does not say it of these chapters.
 */
import type { Chapter } from '../api/chapters.js';
import type { ListedNumber } from '../api/listed-volumes.js';
import { numberKey } from './reading-order.js';

/** Whether other releases may name the volume of the chapter in its place. */
export function lacksVolume({ volume, number }: Pick<Chapter, 'volume' | 'number'>): boolean {
  return volume === undefined && number !== undefined;
}

/** The chapters of one title. `listed`: what the service lists of the title. */
export function inferVolumes<T extends Pick<Chapter, 'volume' | 'number'>>(
  chapters: readonly T[],
  listed: readonly ListedNumber[],
): readonly (T & Pick<Chapter, 'isVolumeInferred'>)[] {
  const volumes = volumesByNumber(listed);
  return chapters.map((chapter) => {
    if (!lacksVolume(chapter)) return chapter;
    const volume = volumes.get(numberKey(chapter.number ?? ''));
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

/** The volume that more than half of the releases of a number name: groups disagree on some. */
function volumesByNumber(listed: readonly ListedNumber[]): ReadonlyMap<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const { number, volume, releases } of listed) {
    const ofNumber = counts.get(numberKey(number)) ?? new Map<string, number>();
    counts.set(numberKey(number), ofNumber);
    const key = numberKey(volume);
    ofNumber.set(key, (ofNumber.get(key) ?? 0) + releases);
  }
  return new Map(
    [...counts].flatMap(([number, ofNumber]) => {
      const total = [...ofNumber.values()].reduce((sum, releases) => sum + releases, 0);
      const [most] = [...ofNumber].find(([, releases]) => releases > total / 2) ?? [];
      return most === undefined ? [] : [[number, most] as const];
    }),
  );
}
