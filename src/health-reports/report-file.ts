/** The files of the spool: their names, and what they hold. */
import { closeSync, fstatSync, ftruncateSync, readFileSync, writeSync } from 'node:fs';
import { healthReportSchema, type HealthReport } from './health-report.js';

const MAX_FILE_BYTES = 64 * 1024;

/** When the load ended (ms since the epoch), the run that recorded it, its number there; `.tmp` without a report. */
const FILE_NAME = /^\d{15}-[0-9a-f]{12}-\d{8}\.json(\.tmp)?$/;

export function reportFileName(atMs: number, run: string, number: number): string {
  return `${String(atMs).padStart(15, '0')}-${run}-${String(number).padStart(8, '0')}.json`;
}

export function temporaryName(fileName: string): string {
  return `${fileName}.tmp`;
}

/** Whether it is the name of a report or of a temporary file. */
export function isSpoolFile(name: string): boolean {
  return FILE_NAME.test(name);
}

/** Of the two kinds of files in the spool. */
export function isReport(name: string): boolean {
  return name.endsWith('.json');
}

export function endedAtMs(name: string): number {
  return Number(name.slice(0, 15));
}

/** Replaces what the file holds. */
export function writeReport(descriptor: number, report: HealthReport): void {
  const bytes = Buffer.from(JSON.stringify(report));
  ftruncateSync(descriptor);
  for (let at = 0; at < bytes.length;)
    at += writeSync(descriptor, bytes, at, bytes.length - at, at);
}

/** `undefined` where the file is damaged. */
export function readReport(descriptor: number): HealthReport | undefined {
  try {
    if (fstatSync(descriptor).size > MAX_FILE_BYTES) return undefined;
    const value: unknown = JSON.parse(readFileSync(descriptor, 'utf8'));
    return healthReportSchema.safeParse(value).data;
  } catch {
    return undefined;
  }
}

export function emptyQuietly(descriptor: number): void {
  try {
    ftruncateSync(descriptor);
  } catch {
    // Removed by another process meanwhile, or on a disk that fails.
  }
}

export function closeQuietly(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // A network file system may report a failed write here; the descriptor is closed all the same.
  }
}
