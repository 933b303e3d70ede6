import { setMaxListeners } from 'node:events';

/** Lets any number of operations wait on the signal. Node warns from the eleventh on, as if they were a leak. */
export function sharedSignal(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}

/** Settles as the promise does, or rejects with the signal's reason if that comes first. Does not stop the work itself. */
export async function raceWithSignal<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
  });
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** What an abort ends: a stream, or a request together with its response. */
interface Destroyable {
  destroy(error: Error): unknown;
  once(event: 'close', listener: () => void): unknown;
}

class StreamGroup {
  readonly #streams = new Set<Destroyable>();

  constructor(private readonly signal: AbortSignal) {}

  add(stream: Destroyable): void {
    if (this.#streams.size === 0) this.signal.addEventListener('abort', this.#destroy);
    this.#streams.add(stream);
    stream.once('close', () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.signal.removeEventListener('abort', this.#destroy);
    });
  }

  readonly #destroy = (): void => {
    for (const stream of this.#streams) stream.destroy(errorOf(this.signal));
  };
}

/** A program may abort with any reason; a stream that is destroyed with null emits no error, which a request waits for. */
function errorOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('Aborted.', { cause: reason });
}

const groups = new WeakMap<AbortSignal, StreamGroup>();

/**
 * Destroys the stream when the signal is aborted. The streams of a signal share one listener: Node links the listeners of
 * a signal, and V8's minor collections keep what follows a removed one that has become old. Each request would stay in
 * memory until a major collection.
 */
export function destroyOnAbort(stream: Destroyable, signal: AbortSignal | undefined): void {
  if (!signal) return;
  if (signal.aborted) {
    stream.destroy(errorOf(signal));
    return;
  }
  const group = groups.get(signal) ?? new StreamGroup(signal);
  groups.set(signal, group);
  group.add(stream);
}
