/** Retries file operations while another program, such as a virus scanner, has the file open. */
import { systemClock, type Clock } from './clock.js';
import { isSystemError } from './system-errors.js';

interface BusyRetryOptions {
  readonly platform?: NodeJS.Platform;
  readonly clock?: Pick<Clock, 'monotonicMs' | 'sleep'>;
}

const MAX_RETRY_MS = 5_000;
const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 400;

/**
 * Calls `operation` again for up to 5 seconds while it fails because the file is busy. On Windows an open file also
 * fails with EPERM or EACCES; elsewhere these errors are permanent and thrown at once.
 */
export async function retryWhileBusy<T>(
  operation: () => T | Promise<T>,
  { platform = process.platform, clock = systemClock }: BusyRetryOptions = {},
): Promise<T> {
  const codes = platform === 'win32' ? ['EBUSY', 'EPERM', 'EACCES'] : ['EBUSY'];
  const startedMs = clock.monotonicMs();
  for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await operation();
    } catch (error) {
      const elapsedMs = clock.monotonicMs() - startedMs;
      if (!isSystemError(error, ...codes) || elapsedMs + pauseMs > MAX_RETRY_MS) throw error;
    }
    await clock.sleep(pauseMs);
  }
}
