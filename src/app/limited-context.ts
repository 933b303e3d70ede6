import type { AppContext } from './context.js';
import type { DownloadRequest } from './download-request.js';

/** The largest chunk of a body that is read at once. */
const MAX_CHUNK_BYTES = 64 * 1024;

/** The context with longer time limits of pages if their rate is limited: our own pauses are not failures of a node. */
export function limitedContext(
  context: AppContext,
  { bytesPerSecond, concurrency }: Pick<DownloadRequest, 'bytesPerSecond' | 'concurrency'>,
): AppContext {
  if (bytesPerSecond === undefined) return context;
  const { settings } = context;
  /** The pages in flight take turns. */
  const msFor = (bytes: number) => Math.ceil((concurrency * bytes * 1_000) / bytesPerSecond);
  return {
    ...context,
    settings: {
      ...settings,
      idleTimeoutMs: settings.idleTimeoutMs + msFor(MAX_CHUNK_BYTES),
      pageTimeoutMs: settings.pageTimeoutMs + msFor(settings.maxPageBytes),
    },
  };
}
