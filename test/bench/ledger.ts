/** The cost of reserving and settling a permit of the rate ledger while no other process uses it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../src/core/clock.js';
import { openMachineLedger } from '../../src/rate-limit/machine-ledger.js';
import { record, type Measurement } from './records.js';
import { median, rounded } from './statistics.js';

const TIMES = 300;
const WARM_UP = 20;
/** Between two requests so much time is made to pass: as many places are in force as a long batch has. */
const STEP_MS = 1_505;

export const ledger: Measurement = {
  name: 'ledger',
  about: 'reserving and settling a place in the rate ledger, uncontended',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-ledger-'));
    let passedMs = 0;
    const clock: Clock = {
      ...systemClock,
      monotonicMs: () => systemClock.monotonicMs() + passedMs,
    };
    const url = new URL('https://api.example.org/at-home/server/1');
    const addresses = { apiUrl: url, authUrl: url, networkUrl: url, realm: 'realm' };
    const places = openMachineLedger({ folder, addresses, clock, warn: () => undefined });
    const reserveMs: number[] = [];
    const settleMs: number[] = [];
    try {
      for (let time = 0; time < TIMES + WARM_UP; time += 1) {
        passedMs += STEP_MS;
        const startedMs = performance.now();
        const place = await places.reserve({ method: 'GET', url });
        const reservedMs = performance.now();
        await place.settle({ status: 200, headers: {} });
        if (time < WARM_UP) continue;
        reserveMs.push(reservedMs - startedMs);
        settleMs.push(performance.now() - reservedMs);
      }
    } finally {
      await places.close();
      rmSync(folder, { recursive: true, force: true });
    }
    record('ledger', {
      what: `one process, ${TIMES} times, with about 40 places in force; milliseconds`,
      rows: [
        { step: 'reserve', ...summary(reserveMs) },
        { step: 'settle', ...summary(settleMs) },
      ],
    });
  },
};

function summary(ms: readonly number[]) {
  const sorted = [...ms].sort((a, b) => a - b);
  const worst = sorted[Math.floor(sorted.length * 0.95)] ?? NaN;
  return { medianMs: rounded(median(ms)), in95of100Ms: rounded(worst) };
}
