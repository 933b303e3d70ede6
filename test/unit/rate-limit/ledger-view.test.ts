/** What `limits` shows of the ledger. */
import type { LedgerState } from '../../../src/rate-limit/ledger-state.js';
import { viewOf } from '../../../src/rate-limit/ledger-view.js';

const MOMENT = { nowMs: 1_000_000, wallMs: Date.UTC(2030, 0, 1) };
const EMPTY: LedgerState = { permits: [], queue: [], externalUses: [], limits: [], backoff: {} };

test('a process that is no longer registered does not wait', () => {
  const queue = ['alive', 'killed'].map((processId) => ({
    id: processId,
    processId,
    quotas: [],
    queuedMs: MOMENT.nowMs,
  }));
  const view = viewOf({ ...EMPTY, queue }, MOMENT, new Map([['alive', 'nas']]));
  expect(view.waiting).toBe(1);
  expect(viewOf({ ...EMPTY, queue }, MOMENT).waiting).toBe(2);
});

test.each([
  ['in the future', 40_000, 40_000],
  ['less than a minute ago', -59_000, -59_000],
  ['a minute ago', -60_000, undefined],
])('unknown use that ends %s', (_, sinceNowMs, shownMs) => {
  const unknownUse = { atMs: MOMENT.nowMs + sinceNowMs };
  const { unknownUseUntilMs } = viewOf({ ...EMPTY, unknownUse }, MOMENT);
  expect(unknownUseUntilMs).toBe(shownMs === undefined ? undefined : MOMENT.wallMs + shownMs);
});
