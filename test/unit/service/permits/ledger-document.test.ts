/** The ledger as text: what is damaged never passes for an empty ledger, and nothing read can write to a terminal. */
import {
  emptyDocument,
  parseDocument,
  serializeDocument,
  type LedgerDocument,
} from '../../../../src/service/permits/ledger-document.js';
import { fuzzRuns } from '../../../support/long-run.js';
import { seeded } from '../../../support/seeded.js';

const FULL: LedgerDocument = {
  ...emptyDocument('boot', 7),
  host: 'nas',
  writtenMs: 1_000.5,
  wallMs: Date.UTC(2030, 0, 1),
  uses: [{ id: '1-a', key: 'api.example.org GET /at-home/server/{id}', untilMs: 5_000 }],
  tickets: [{ processId: 'nas-1-b', quotas: ['api.example.org'], seenMs: 900 }],
  caps: [{ key: 'api.example.org GET /at-home/server/{id}', remaining: 3, untilMs: 4_000 }],
  unknownMs: -5,
  pause: {
    kind: 'banned',
    sinceMs: 1,
    untilMs: 600_001,
    strikes: 1,
    probe: { id: '1-c', untilMs: 3 },
  },
  lastBan: { untilMs: 600_001, strikes: 1 },
};

test.each([
  ['an empty one', emptyDocument('boot')],
  ['a full one', FULL],
])('%s is read as it was written', (_, document) => {
  expect(parseDocument(serializeDocument(document))).toEqual(document);
});

test('every cut of its text is damaged', () => {
  const text = serializeDocument(FULL);
  for (let length = 0; length < text.length; length += 1) {
    expect(parseDocument(text.slice(0, length))).toBe('damaged');
  }
});

test.each<[string, object]>([
  ['a time that is not a number', { writtenMs: null }],
  ['an endless time', { uses: [{ id: 'a', key: 'host', untilMs: 1e300 }] }],
  ['a key with control characters', { uses: [{ id: 'a', key: '\u001b[2J', untilMs: 1 }] }],
  ['a host with control characters', { host: '\u0007' }],
  ['a process with spaces', { tickets: [{ processId: 'a b', quotas: [], seenMs: 1 }] }],
  ['quotas that are not a list', { tickets: [{ processId: 'a', quotas: 'host', seenMs: 1 }] }],
  ['a negative rest', { caps: [{ key: 'host', remaining: -1, untilMs: 1 }] }],
  ['another kind of pause', { pause: { ...FULL.pause, kind: 'other' } }],
  ['a list of millions', { uses: Array(5_000).fill(FULL.uses[0]) }],
])('%s is damaged', (_, change) => {
  expect(parseDocument(`${JSON.stringify({ version: 4, ...FULL, ...change })}\n`)).toBe('damaged');
});

test('another version is damaged', () => {
  expect(parseDocument(serializeDocument(FULL).replace('"version":4', '"version":3'))).toBe(
    'damaged',
  );
});

test('no changed byte makes it throw', () => {
  const random = seeded(5);
  const text = serializeDocument(FULL);
  for (let run = 0; run < fuzzRuns(5_000); run += 1) {
    const at = Math.floor(random() * text.length);
    const byte = String.fromCharCode(Math.floor(random() * 128));
    const changed = text.slice(0, at) + byte + text.slice(at + 1);
    expect(() => parseDocument(changed)).not.toThrow();
  }
});
