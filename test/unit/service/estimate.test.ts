/** The remaining time of a batch, with the rate limits of the service (spec 8.2 and 8.3). */
import { minTimeMs, remainingBatchMs } from '../../../src/service/estimate.js';

const MINUTE_MS = 60_000;

describe('the least time', () => {
  test.each([
    [0, 0],
    [1, 0],
    [5, 0],
    [6, 1_000],
    [40, 7_000],
    [41, MINUTE_MS],
    [1_680, 41 * MINUTE_MS + 7_000],
  ])('of %i requests is %i ms', (requests, ms) => {
    expect(minTimeMs(requests, 'chapters')).toBe(ms);
  });

  test('counts the requests that were sent before', () => {
    const sentAgoMs = Array.from({ length: 40 }, (_, index) => 50_000 - index * 100);
    expect(minTimeMs(1, 'chapters', sentAgoMs)).toBe(10_000);
    expect(minTimeMs(0, 'chapters', sentAgoMs)).toBe(0);
    expect(minTimeMs(1, 'chapters', [70_000])).toBe(0);
  });
});

describe('the remaining time', () => {
  test('of a fast start takes the limits into account: 41 minutes, not 5', () => {
    const startedAgoMs = Array.from({ length: 40 }, (_, index) => 7_800 - index * 195);
    const progress = { done: 40, total: 1_680, elapsedMs: 7_800, startedAgoMs };
    const minutes = (remainingBatchMs(progress) ?? 0) / MINUTE_MS;
    expect(minutes).toBeGreaterThan(40);
    expect(minutes).toBeLessThan(41);
  });

  test('is known before the first chapter is done', () => {
    const fresh = { done: 0, total: 1_680, elapsedMs: 0, startedAgoMs: [] };
    expect(remainingBatchMs(fresh)).toBe(41 * MINUTE_MS + 7_000);
    expect(remainingBatchMs({ ...fresh, total: 3 })).toBeUndefined();
  });

  test('of a slow line is what the line needs', () => {
    const startedAgoMs = [300_000, 150_000, 0];
    const progress = { done: 2, total: 10, elapsedMs: 300_000, startedAgoMs };
    expect(remainingBatchMs(progress)).toBe(1_200_000);
  });

  test('counts chapters that were skipped without a request as done', () => {
    const progress = { done: 100, total: 100, elapsedMs: 10, startedAgoMs: [] };
    expect(remainingBatchMs(progress)).toBe(0);
  });
});
