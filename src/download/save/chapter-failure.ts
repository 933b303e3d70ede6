/** What a failed chapter means for the run. Pure. */
import { OutageTooLong } from '../../service/client.js';
import { hasCode, isFatal, type TankobonError } from '../../core/errors.js';

/** After this many chapters in a row that the network or the service failed, the run stops. */
const MAX_CONSECUTIVE_OUTAGES = 3;

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
      isFatal(error) ||
      hasCode(error, 'rate-limited', 'disk-full', 'output-away', 'fault') ||
      hasCode(error, 'ledger-unreachable', 'ledger-unusable') ||
      this.#inARow >= MAX_CONSECUTIVE_OUTAGES
    );
  }
}
