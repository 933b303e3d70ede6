/** 200 short chapters: how much of what the quotas allow is used, in virtual time and, with shorter periods, in real time. */
import { systemClock } from '../../src/core/clock.js';
import { runBatch, type BatchFigures } from './batch-run.js';
import { allowedArrivals, metadataArrivals } from './quota-share.js';
import { record, type Measurement } from './records.js';
import { rounded } from './statistics.js';
import { timeline } from './timeline.js';
import { virtualClock } from '../support/virtual-clock.js';

const CHAPTERS = 200;
const PAGES_EACH = 4;
const SHORTENED = 0.2;

export const batch: Measurement = {
  name: 'batch',
  about: '200 short chapters against the quotas',
  async run() {
    const options = { chapters: CHAPTERS, pagesEach: PAGES_EACH };
    const virtual = await runBatch({ ...options, clock: virtualClock(), periodScale: 1 });
    printFigures('batch-virtual-time', 'virtual time, the real quotas', virtual, 1);
    const real = await runBatch({ ...options, clock: systemClock, periodScale: SHORTENED });
    printFigures(
      'batch-real-time',
      `real time, the quota’s minute shortened to ${60 * SHORTENED} s`,
      real,
      SHORTENED,
    );
  },
};

function printFigures(name: string, how: string, { log }: BatchFigures, periodScale: number): void {
  const calls = metadataArrivals(log);
  const allowed = allowedArrivals(CHAPTERS, periodScale);
  const [tookMs = NaN, leastMs = NaN] = [calls.at(-1), allowed.at(-1)];
  const firstMs = log.find(({ path }) => path.startsWith('/at-home/'))?.atMs ?? 0;
  const pages = log
    .filter(({ host }) => host === 'node')
    .map(({ atMs }) => (atMs - firstMs) / 1_000);
  const usedPercent = rounded((100 * leastMs) / tookMs);
  record(name, {
    what: `${CHAPTERS} chapters of ${PAGES_EACH} pages, ${how}; from the first metadata call to the last`,
    rows: [
      {
        chapters: CHAPTERS,
        tookSeconds: rounded(tookMs / 1_000, 4),
        leastSeconds: rounded(leastMs / 1_000, 4),
        usedPercent,
        requests: log.length,
      },
    ],
    chart: timeline({
      title: `${CHAPTERS} chapters against the quotas`,
      subtitle: `${how}; ${usedPercent} % of what they allow`,
      calls: calls.map((ms) => ms / 1_000),
      allowed: allowed.map((ms) => ms / 1_000),
      pages,
    }),
  });
}
