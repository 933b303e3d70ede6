import type { Chapter } from '../../../src/service/chapters.js';
import { listedVolumes } from '../../../src/service/catalogue/response-schemas.js';
import { inferVolumes } from '../../../src/selection/infer-volumes.js';
import { plainRelease } from '../../support/plain-release.js';

const chapter = (number: string | undefined, volume?: string): Chapter =>
  plainRelease({ id: `${number} ${volume}`, number, volume });
const listed = (number: string, volume: string, releases = 1) => ({ number, volume, releases });
const volumeOf = (number: string | undefined, ...known: ReturnType<typeof listed>[]) =>
  inferVolumes([chapter(number)], known)[0]?.volume;

describe('inferVolumes', () => {
  test('takes the volume that more than half of the releases name, whatever the order', () => {
    const known = [
      ...[listed('7', '3'), listed('8', '3'), listed('9', '3')],
      ...[listed('5', '2'), listed('6', '2'), listed('7', '2', 2)],
      listed('4', '1', 9),
    ];
    expect(volumeOf('7', ...known)).toBe('2');
    expect(volumeOf('7', ...known.reverse())).toBe('2');
  });

  test('takes none for a number that is in several runs of volumes', () => {
    const seasons = [listed('1', '1'), listed('2', '1'), listed('3', '1'), listed('2', '2', 9)];
    expect(volumeOf('2', ...seasons)).toBeUndefined();
    expect(volumeOf('3', ...seasons)).toBe('1');
  });

  test('takes none where groups disagree, and none for a chapter without a number', () => {
    expect(volumeOf('7', listed('7', '3'), listed('7', '2'))).toBeUndefined();
    expect(volumeOf('7', listed('7', '1'), listed('7', '2'), listed('7', '3'))).toBeUndefined();
    expect(volumeOf(undefined, listed('none', '3'))).toBeUndefined();
    expect(volumeOf('8', listed('7', '3'))).toBeUndefined();
  });

  test('compares numbers, not texts', () => {
    expect(volumeOf('7.0', listed('07', '02'), listed('7', '2'))).toBe('2');
    expect(volumeOf('10B', listed('10b', '2'))).toBe('2');
    expect(volumeOf('6.1-6.2', listed('6.1-6.2', '1'))).toBe('1');
  });

  test('does not change the volume that the service names', () => {
    const own = chapter('7', '9');
    expect(inferVolumes([own], [listed('7', '2')])).toEqual([own]);
  });
});

describe('the list of volumes', () => {
  const parse = (volumes: unknown) => listedVolumes.parse({ result: 'ok', volumes }).volumes;
  const seven = { chapter: '7', id: 'x', others: [], count: 2, isUnavailable: false };

  test('is empty where the service writes an empty list', () => {
    expect(parse([])).toEqual([]);
    expect(parse({ 1: { volume: '1', count: 0, chapters: [] } })).toEqual([
      { volume: '1', chapters: [] },
    ]);
  });

  test('is read from lists too, which the service writes where keys count from 0', () => {
    const volume = { volume: '0', count: 1, chapters: [{ ...seven, chapter: 0 }, seven] };
    expect(parse([volume])).toEqual([
      {
        volume: '0',
        chapters: [
          { chapter: '0', count: 2 },
          { chapter: '7', count: 2 },
        ],
      },
    ]);
  });

  test('is read without entries that are invalid', () => {
    const invalid = {
      1: null,
      2: { volume: [] },
      3: { volume: '3', chapters: { 7: seven, 8: 8 } },
    };
    expect(parse(invalid)).toEqual([{ volume: '3', chapters: [{ chapter: '7', count: 2 }] }]);
    expect(() => parse('none')).toThrow();
    expect(() => parse(undefined)).toThrow();
  });
});
