/** The journal of a sync: what is known, what must be announced, and what a killed run left are folds over its lines. */
import fc from 'fast-check';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSyncState, SyncJournal, unannounced } from '../../../src/sync/history.js';
import type { SyncLine } from '../../../src/sync/history/sync-lines.js';
import { leaveLines } from '../../support/left-sync-lines.js';
import { fuzzRuns } from '../../support/long-run.js';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tankobon-sync-journal-'));
  folder = join(root, 'state');
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const open = () =>
  SyncJournal.open(folder, {
    warn: (message) => {
      throw new Error(message);
    },
  });
const journalFile = (): string =>
  join(folder, readdirSync(folder).find((name) => name.endsWith('.journal')) ?? '');
const saved = (id: string): SyncLine => ({
  saved: {
    titleId: 'title',
    series: 'Series',
    chapter: { id, language: 'en', groups: [], file: `/comics/${id}.cbz` },
  },
});
const announcedNext = (): string[] =>
  unannounced(readSyncState(folder)).map(({ chapter }) => chapter.id);

test('a chapter is announced once it is saved, until it was announced', async () => {
  await leaveLines(folder, { started: 'a' }, { started: 'b' }, saved('a'));
  expect(announcedNext()).toEqual(['a']);
  expect([...readSyncState(folder).chapters.keys()]).toEqual(['a', 'b']);
  await leaveLines(folder, saved('b'), { announced: ['a'] }, { ended: ['b'] });
  expect(announcedNext()).toEqual(['b']);
  await leaveLines(folder, { announced: ['b'] });
  expect(readSyncState(folder).chapters.size).toBe(0);
});

test('a chapter that replaces another is known until the hooks know of it', async () => {
  await leaveLines(folder, { started: 'b', replaces: 'a' });
  expect(readSyncState(folder).chapters.get('b')).toMatchObject({ replaces: 'a' });
  await leaveLines(folder, saved('b'));
  expect(announcedNext()).toEqual(['b']);
  await leaveLines(folder, { announced: ['b'] });
  expect(readSyncState(folder).chapters.size).toBe(0);
});

test('a chapter that was started and not saved leaves nothing once its run has ended', async () => {
  await leaveLines(folder, { started: 'a', replaces: 'x' }, { ended: ['a'] });
  expect(readSyncState(folder).chapters.size).toBe(0);
});

test('each line is one append, and earlier ones are neither read nor written again', async () => {
  const journal = await open();
  for (let number = 1; number <= 50; number += 1) {
    const before = statSync(journalFile()).size;
    const line = saved(`chapter-${number}`);
    journal.add(line);
    const after = statSync(journalFile()).size;
    expect(after - before).toBe(JSON.stringify(line).length + 1);
  }
  await journal.close();
});

test('a state that cannot be stored is a warning, and is stored with the next line', async () => {
  const warnings: string[] = [];
  const journal = await SyncJournal.open(folder, { warn: (message) => warnings.push(message) });
  const foreign = 'what another process wrote after it took the journal over';
  appendFileSync(journalFile(), foreign);
  journal.add(saved('a'));
  journal.add(saved('b'));
  expect(warnings).toHaveLength(1);
  expect(unannounced(journal.state)).toHaveLength(2);
  writeFileSync(journalFile(), '');
  journal.add(saved('c'));
  expect(announcedNext()).toEqual(['a', 'b', 'c']);
  await journal.close();
});

test('without a write, lines change the state in memory alone', async () => {
  const warn = (): void => undefined;
  const journal = await SyncJournal.open(folder, { isWritten: false, warn });
  journal.add(saved('a'));
  await journal.close();
  expect(unannounced(journal.state)).toHaveLength(1);
  expect(announcedNext()).toEqual([]);
});

const ids = fc.constantFrom('a', 'b', 'c');
const lines: fc.Arbitrary<SyncLine[]> = fc.array(
  fc.oneof(
    fc.record({ started: ids, replaces: fc.option(ids, { nil: undefined }) }),
    ids.map(saved),
    fc.record({ announced: fc.array(ids, { maxLength: 2 }) }),
    fc.record({ ended: fc.array(ids, { maxLength: 2 }) }),
    fc.record({ nextRunMs: fc.nat() }),
    fc.record({ forgotten: fc.array(ids, { maxLength: 2 }) }),
    fc.record({
      title: ids,
      state: fc.record({
        rules: fc.string(),
        readAtMs: fc.nat(),
        waiting: fc.array(fc.record({ chapter: ids, untilMs: fc.nat() }), { maxLength: 1 }),
      }),
    }),
  ),
  { maxLength: 30 },
);

test('a cut or damaged journal is read up to what is whole, whatever it contains', async () => {
  await fc.assert(
    fc.asyncProperty(lines, fc.nat(), fc.string(), async (written, cut, garbage) => {
      rmSync(folder, { recursive: true, force: true });
      await leaveLines(folder, ...written);
      const text = readFileSync(journalFile(), 'utf8');
      writeFileSync(journalFile(), text.slice(0, cut % (text.length + 1)));
      const whole = text.slice(0, cut % (text.length + 1)).split('\n').length - 1;
      const left = readSyncState(folder);
      await leaveLines(folder, { nextRunMs: 7 });
      rmSync(folder, { recursive: true });
      await leaveLines(folder, ...written.slice(0, whole));
      expect(readSyncState(folder)).toEqual(left);
      appendFileSync(journalFile(), `${garbage}\n`);
      expect(unannounced(readSyncState(folder))).toEqual(unannounced(left));
    }),
    { numRuns: fuzzRuns(300) },
  );
});
