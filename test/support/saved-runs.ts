/** A run that several tests begin with: only the first of them runs it, the others get copies of its files, at the time at which it ended. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PracticeOptions } from '../../src/practice-server/practice-service.js';
import { DownloadHarness } from './download-harness.js';
import { virtualClock, type VirtualClock } from './virtual-clock.js';

interface SavedRun {
  readonly folder: string;
  readonly startedAtMs: number;
  readonly tookMs: number;
}

export class SavedRuns {
  readonly #runs = new Map<string, SavedRun>();
  #clock = virtualClock();

  /** Call it outside of tests: the copies go with the last test of the file or block. */
  constructor() {
    afterAll(() => {
      for (const { folder } of this.#runs.values()) rmSync(folder, { recursive: true });
    });
  }

  /** Goes with the harness that was started last. */
  get clock(): VirtualClock {
    return this.#clock;
  }

  /** `key` names the run, and is another one for other options. */
  async start(
    key: string,
    options: Omit<PracticeOptions, 'clock'>,
    run: (harness: DownloadHarness) => Promise<unknown>,
  ): Promise<DownloadHarness> {
    const saved = this.#runs.get(key);
    const startedAtMs = saved?.startedAtMs ?? Date.now();
    const clock = virtualClock(startedAtMs);
    this.#clock = clock;
    const harness = await DownloadHarness.start({ ...options, clock });
    if (saved) {
      cpSync(saved.folder, harness.folder, { recursive: true, preserveTimestamps: true });
      clock.advance(saved.tookMs);
      return harness;
    }
    const beforeMs = clock.monotonicMs();
    await run(harness);
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-saved-'));
    // The sender of reports may still write its own.
    const filter = (path: string) => !path.includes('health-reports');
    cpSync(harness.folder, folder, { recursive: true, preserveTimestamps: true, filter });
    this.#runs.set(key, { folder, startedAtMs, tookMs: clock.monotonicMs() - beforeMs });
    return harness;
  }
}
