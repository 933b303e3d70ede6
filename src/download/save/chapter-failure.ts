/** What a failed chapter means for the run. Pure. */
import { OutageTooLong } from '../../service/client.js';
import type { ErrorCode } from '../../core/error-codes.js';
import { hasCode, type TankobonError } from '../../core/errors.js';

/** After this many chapters in a row that the network or the service failed, the run stops. */
const MAX_CONSECUTIVE_OUTAGES = 3;

const RUN_WIDE_CODES: readonly ErrorCode[] = [
  'interrupted',
  'banned',
  'wait-too-long',
  'rate-limited',
  'captcha-required',
  'disk-full',
  'ledger-unreachable',
  'ledger-unusable',
  'fault',
];

/** Whether an outage that ended during the chapter may have caused the error: then the chapter is worth another try. */
export function mayBeOutage(error: TankobonError): boolean {
  if (error instanceof OutageTooLong) return false;
  return hasCode(error, 'unreachable', 'service-failed', 'bad-response', 'page-lost');
}

/** Counts the chapters in a row that the network or the service failed. */
export class OutageCounter {
  #inARow = 0;

  recordSaved(): void {
    this.#inARow = 0;
  }

  /** Whether the error concerns the whole run, which then stops. */
  recordFailed(error: TankobonError): boolean {
    const isOutage = hasCode(error, 'unreachable', 'service-failed');
    this.#inARow = isOutage ? this.#inARow + 1 : 0;
    return (
      error instanceof OutageTooLong ||
      hasCode(error, ...RUN_WIDE_CODES) ||
      this.#inARow >= MAX_CONSECUTIVE_OUTAGES
    );
  }
}
