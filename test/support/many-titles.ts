/** A sync of many titles without chapters, in virtual time. */
import { createLibrary } from '../../src/practice-server/library/library.js';
import { DAY_MS, SyncHarness, syncTitle, titleId } from './sync-harness.js';

export async function subscribeMany(titles: number): Promise<SyncHarness> {
  const names = Array.from({ length: titles }, (_, index) => `Title ${index}`);
  const harness = await SyncHarness.start(() =>
    createLibrary({ titles: names.map(syncTitle), chapters: [], lists: [] }),
  );
  const entries = names.map((name) => `  - target: title:${titleId(name)}\n`);
  harness.write(`series:\n${entries.join('')}`);
  return harness;
}

/** Runs a sync at each interval of a week, after one that read all titles. */
export async function readWithinWeek(
  harness: SyncHarness,
  titles: number,
  intervalMs: number,
): Promise<void> {
  await harness.sync();
  const startedMs = harness.clock.wallMs();
  harness.catalogueRequests();
  const readAtMs = new Map<string, number>();
  const shares: number[] = [];
  while (harness.clock.wallMs() + intervalMs <= startedMs + 7.1 * DAY_MS) {
    harness.clock.advance(intervalMs);
    expect((await harness.sync()).code).toBe(0);
    const feeds = harness.catalogueRequests().filter((path) => path.endsWith('/feed'));
    shares.push(feeds.length);
    for (const path of feeds) if (!readAtMs.has(path)) readAtMs.set(path, harness.clock.wallMs());
  }
  expect(readAtMs.size).toBe(titles);
  // The requests of a run take time too: five a second.
  const runMs = (titles / 5) * 1_000;
  expect(Math.max(...readAtMs.values()) - startedMs).toBeLessThanOrEqual(7 * DAY_MS + runMs);
  const share = Math.ceil((titles * intervalMs) / (7 * DAY_MS));
  expect(Math.max(...shares)).toBeLessThanOrEqual(2 * share + 2);
}
