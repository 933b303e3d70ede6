import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryLockFile } from '../../src/kernel/lock.js';
import { readLines, toLine, type JournalEntry } from '../../src/reports/journal-line.js';
import { compactText, LOADS_KEPT, stateOf } from '../../src/reports/journal-state.js';
import { Journal } from '../../src/reports/journal.js';
import { reportNo } from './report-listener.js';

const count = fc.nat();
const entry: fc.Arbitrary<JournalEntry> = fc.oneof(
  fc
    .record({ id: fc.integer({ min: 1, max: 40 }), atMs: count, number: count })
    .map(({ id, atMs, number }) => ({ kind: 'due' as const, id, atMs, report: reportNo(number) })),
  fc.record({
    kind: fc.constant('settled' as const),
    id: fc.integer({ min: 1, max: 40 }),
    ending: fc.constantFrom('sent' as const, 'given-up' as const, 'dropped' as const),
    atMs: count,
  }),
  fc.record({
    kind: fc.constant('load' as const),
    load: fc.record({
      atMs: count,
      node: fc.string(),
      success: fc.boolean(),
      bytes: count,
      durationMs: count,
      cached: fc.boolean(),
    }),
  }),
);

describe('the lines of a journal', () => {
  test('come back as they were written', () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        expect(readLines(entries.map(toLine).join(''))).toEqual({ entries, skipped: 0 });
      }),
    );
  });

  test('torn off anywhere, cost that one line and none after it', () => {
    fc.assert(
      fc.property(fc.array(entry), entry, fc.array(entry), fc.nat(), (before, torn, after, at) => {
        const line = toLine(torn);
        const cut = line.slice(0, at % line.length);
        const text = before.map(toLine).join('') + cut + after.map(toLine).join('');
        expect(readLines(text).entries).toEqual([...before, ...after]);
      }),
    );
  });

  test('with random bytes between them, are all found', () => {
    const noise = fc.uint8Array({ maxLength: 60 });
    fc.assert(
      fc.property(fc.array(fc.tuple(entry, noise)), (parts) => {
        const bytes = parts.flatMap(([one, between]) => [
          Buffer.from(toLine(one)),
          Buffer.from('\n'),
          Buffer.from(between),
        ]);
        const { entries } = readLines(Buffer.concat(bytes).toString('utf8'));
        expect(entries).toEqual(parts.map(([one]) => one));
      }),
    );
  });

  test('altered in one character, are not believed', () => {
    fc.assert(
      fc.property(entry, fc.nat(), (one, at) => {
        const line = toLine(one);
        const place = 1 + (at % (line.length - 1));
        const other = line[place] === 'x' ? 'y' : 'x';
        const altered = line.slice(0, place) + other + line.slice(place + 1);
        expect(readLines(altered).entries).toEqual([]);
      }),
    );
  });

  test('are read without a throw, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        stateOf(readLines(Buffer.from(bytes).toString('utf8')).entries);
      }),
      { numRuns: 2_000 },
    );
  });

  test('say the same after a compaction', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 200 }), (entries) => {
        const state = stateOf(entries);
        const again = stateOf(readLines(compactText(state)).entries);
        expect({ ...again, lines: 0 }).toEqual({ ...state, lines: 0 });
      }),
    );
  });
});

describe('a journal', () => {
  let folder: string;
  let file: string;
  const troubles: unknown[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-journal-'));
    file = join(folder, 'journal-1.log');
    troubles.length = 0;
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const open = async (): Promise<Journal> => {
    const lock = await tryLockFile(join(folder, 'journal-1.lock'));
    if (!lock) throw new Error('The lock was not let go.');
    return Journal.open({ file, lock }, (error) => troubles.push(error));
  };
  const waitingIn = async (): Promise<number[]> => {
    const journal = await open();
    await journal.close();
    return [...journal.state.waiting.values()].map(({ report }) => report.bytes - 1_000);
  };

  test('has a report in its file before add resolves, and the mark before settle does', async () => {
    const journal = await open();
    const due = await journal.add(reportNo(1), 10);
    expect(stateOf(readLines(readFileSync(file, 'utf8')).entries).waiting.size).toBe(1);
    await journal.settle(due.id, 'sent', 11);
    expect(stateOf(readLines(readFileSync(file, 'utf8')).entries)).toMatchObject({
      waiting: new Map(),
      totals: { sent: 1 },
    });
    await journal.close();
  });

  test('that was torn goes on behind the tear', async () => {
    const first = await open();
    await first.add(reportNo(1), 10);
    await first.add(reportNo(2), 11);
    await first.close();
    truncateSync(file, statSync(file).size - 7);
    const second = await open();
    await second.add(reportNo(3), 12);
    await second.close();
    expect(await waitingIn()).toEqual([1, 3]);
  });

  test('is for its owner’s eyes alone', async () => {
    const journal = await open();
    await journal.add(reportNo(1), 10);
    await journal.close();
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  test('stays small however much is sent, and keeps what waits, the totals and the last loads', async () => {
    const journal = await open();
    const loads = 2 * LOADS_KEPT + 3_000;
    await journal.add(reportNo(7), 0);
    for (let number = 0; number < loads; number += 100) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, at) => {
          const due = await journal.add(reportNo(number + at), number + at);
          await journal.settle(due.id, 'sent', number + at);
        }),
      );
    }
    await journal.close();
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(3 * LOADS_KEPT);
    const again = await open();
    await again.close();
    expect([...again.state.waiting.values()].map(({ report }) => report)).toEqual([reportNo(7)]);
    expect(again.state.totals.sent).toBe(loads);
    expect(again.state.loads.length).toBeLessThanOrEqual(2 * LOADS_KEPT);
    expect(troubles).toEqual([]);
  });

  test('whose file cannot be written goes on in memory, and says so', async () => {
    const journal = await open();
    rmSync(folder, { recursive: true });
    await journal.add(reportNo(1), 1);
    await journal.close();
    expect(journal.state.waiting.size).toBe(1);
    expect(troubles).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
  });

  test('takes lines that others tore up for what they are', async () => {
    appendFileSync(file, 'nonsense\n\u0000\u0001{"kind":"due"}\n');
    const journal = await open();
    await journal.add(reportNo(5), 1);
    await journal.close();
    expect(await waitingIn()).toEqual([5]);
  });
});
