/** The promise, or the signal's reason where that comes first; what the promise stands for goes on either way. */
export async function interruptible<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  const listening = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { signal: listening.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    listening.abort();
  }
}
