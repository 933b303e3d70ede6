/** How cost grows with the number of chapters: requests, memory and the ledger's work, each for one chapter. */
import { runBatch } from './batch-run.js';
import { metadataArrivals } from './quota-share.js';
import { record, type Measurement } from './records.js';
import { rounded } from './statistics.js';
import { virtualClock } from '../support/virtual-clock.js';

const SIZES = [10, 100, 1_000, 10_000];
const PAGES_EACH = 2;

export const scale: Measurement = {
  name: 'scale',
  about: 'the cost of 10 to 10,000 chapters, in virtual time (takes about ten minutes)',
  async run() {
    const rows = [];
    for (const chapters of SIZES) rows.push(await growth(chapters));
    record('scale', {
      what: `chapters of ${PAGES_EACH} pages, the real quotas, virtual time`,
      rows,
    });
  },
};

async function growth(chapters: number) {
  const figures = await runBatch({
    chapters,
    pagesEach: PAGES_EACH,
    clock: virtualClock(),
    periodScale: 1,
  });
  const { log, transactions, transactionMs, heldBytes } = figures;
  const tookMs = metadataArrivals(log).at(-1) ?? NaN;
  return {
    chapters,
    hours: rounded(tookMs / 3_600_000),
    apiRequestsEach: rounded(log.filter(({ host }) => host === 'api').length / chapters),
    pageRequestsEach: rounded(log.filter(({ host }) => host === 'node').length / chapters),
    ledgerExchangesEach: rounded(transactions / chapters),
    ledgerMsEach: rounded(transactionMs / chapters),
    heldMebibytes: rounded(heldBytes / 2 ** 20),
  };
}
