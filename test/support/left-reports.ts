/** Writes the journal of a run that ended before it sent its reports. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reportNo } from './report-listener.js';

interface LeftReport {
  readonly number: number;
  readonly atMs: number;
}

export const LEFT_JOURNAL = '0123456789ab.journal';

export function leaveReports(
  folder: string,
  reports: readonly LeftReport[],
  extraLines = '',
): void {
  const lines = reports.map(
    ({ number, atMs }) => `${JSON.stringify({ load: number, atMs, ...reportNo(number) })}\n`,
  );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, LEFT_JOURNAL), lines.join('') + extraLines, { mode: 0o600 });
}
