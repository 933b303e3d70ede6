/** What `limits` shows of the ledger. */
import {
  emptyDocument,
  type LedgerDocument,
} from '../../../../src/service/permits/ledger-document.js';
import { MAX_REQUEST_MS } from '../../../../src/service/permits/ledger-rules.js';
import { viewOf } from '../../../../src/service/permits/ledger-view.js';
import { quotaOf } from '../../../../src/service/quotas.js';

const READING = {
  nowMs: 1_000_000,
  wallMs: Date.UTC(2030, 0, 1),
};
const RULES = { quotaOf, maxRequestMs: MAX_REQUEST_MS };
const EMPTY = emptyDocument('boot');

test('a process on a server that has not looked lately does not wait', () => {
  const tickets = ['nas-1-a', 'nas-2-b', 'laptop-1-c'].map((processId) => ({
    processId,
    quotas: [],
    seenMs: 0,
  }));
  const document: LedgerDocument = { ...EMPTY, tickets };
  const seenMs = new Map(['nas-1-a', 'laptop-1-c'].map((id) => [id, READING.nowMs]));
  const view = viewOf({ ...READING, document, seenMs }, RULES, true);
  expect(view.waiting).toBe(2);
  expect(view.machines).toEqual([
    { host: 'laptop', waiting: 1 },
    { host: 'nas', waiting: 1 },
  ]);
  expect(viewOf({ ...READING, document }, RULES, false).waiting).toBe(3);
});

test.each([
  ['in the future', 20_000, 20_000],
  ['less than a minute ago', -59_000, -59_000],
  ['a minute ago', -60_000, undefined],
])('unknown use that ends %s', (_, sinceNowMs, shownMs) => {
  const document = { ...EMPTY, unknownMs: READING.nowMs + sinceNowMs };
  const { unknownUseUntilMs } = viewOf({ ...READING, document }, RULES, false);
  expect(unknownUseUntilMs).toBe(shownMs === undefined ? undefined : READING.wallMs + shownMs);
});
