import { setMaxListeners } from 'node:events';

/** Lets any number of operations wait on the signal. Node warns from the eleventh on, as if they were a leak. */
export function sharedSignal(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}

/** Settles as the promise does, or rejects with the signal's reason if that comes first. Does not stop the work itself. */
export async function raceWithSignal<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  const listener = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { signal: listener.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    listener.abort();
  }
}
