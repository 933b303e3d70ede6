/** Retries of operations on a file that another program, such as a virus scanner, has open for a moment. */
import { systemClock, type Clock } from './clock.js';
import { isSystemError } from './system-errors.js';

export interface BusyRetryOptions {
  readonly platform?: NodeJS.Platform;
  readonly clock?: Pick<Clock, 'monotonicMs' | 'sleep'>;
}

const MAX_RETRY_MS = 5_000;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 400;

/**
 * Runs `act`, and again for up to 5 seconds while it fails because the file is busy. On Windows a file that
 * another program has open fails with EPERM or EACCES too; elsewhere these are permanent and thrown at once.
 */
export async function retryWhileBusy<T>(
  act: () => Promise<T>,
  { platform = process.platform, clock = systemClock }: BusyRetryOptions = {},
): Promise<T> {
  const codes = platform === 'win32' ? ['EBUSY', 'EPERM', 'EACCES'] : ['EBUSY'];
  const startedMs = clock.monotonicMs();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await act();
    } catch (error) {
      const elapsedMs = clock.monotonicMs() - startedMs;
      if (!isSystemError(error, ...codes) || elapsedMs + pauseMs > MAX_RETRY_MS) throw error;
    }
    await clock.sleep(pauseMs);
  }
}
