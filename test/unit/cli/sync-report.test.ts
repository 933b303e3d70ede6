/** The report of a sync as a table for a terminal, and as lines for a log. */
import stringWidth from 'string-width';
import type { SeriesReport } from '../../../src/sync/sync-session.js';
import { seriesLine, syncTable } from '../../../src/cli/output/sync-report.js';

const series = (name: string, counts: Partial<SeriesReport> = {}): SeriesReport => ({
  titleId: name,
  name,
  new: 0,
  replaced: 0,
  skipped: 0,
  failed: 0,
  retired: 0,
  saved: [],
  waiting: [],
  ...counts,
});

test('each count stands below its heading', () => {
  const table = syncTable(
    [series('The Lighthouse', { new: 1_200, failed: 1 }), series('Starlight', { skipped: 3 })],
    80,
  );
  expect(`${table?.join('\n')}\n`).toBe(`title             new  replaced  skipped  failed
The Lighthouse  1,200         0        0       1
Starlight           0         0        3       0
`);
});

test('names are cut to the width of the terminal, wide characters too', () => {
  const names = [
    '灯台守の長い長い長い物語とその続き',
    'A name of more than thirty columns in all',
    'e\u0301'.repeat(40),
  ];
  for (const columns of [50, 80, 200]) {
    const lines = syncTable(
      names.map((name) => series(name, { new: 1 })),
      columns,
    );
    const widths = (lines ?? []).map((line) => stringWidth(line));
    expect(new Set(widths).size).toBe(1);
    expect(widths[0]).toBeLessThan(columns);
  }
});

test('where a name would have less than twelve columns there is no table, and control characters are removed', () => {
  const reports = [series('Ab\u001B[31mcdefghijklmno', { new: 1 })];
  expect(syncTable(reports, 44)).toBeUndefined();
  expect(syncTable(reports, 45)?.[1]).toBe('Ab [31mcdef…    1         0        0       0');
});

test('a line of a log names only what there is', () => {
  expect(seriesLine(series('Alpha'))).toBe('Alpha: nothing new');
  expect(seriesLine(series('Alpha', { new: 1, skipped: 40 }))).toBe('Alpha: 1 new');
  const waiting = [{ chapter: 'c', number: '3', untilMs: 0 }];
  expect(seriesLine(series('Alpha', { new: 2, failed: 1, waiting }))).toBe(
    'Alpha: 2 new, 1 failed, 1 waiting for a group',
  );
});
