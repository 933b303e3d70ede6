/** Adds what a download saves to the index of the output folder: the chapter of a file that is damaged later is known. */
import { addToIndex } from '../cbz/library-cache.js';
import type { DownloadSession } from './download-session.js';
import type { DownloadMessage } from './events.js';

export async function withIndexedFiles<T, Session extends DownloadSession>(
  session: Session,
  run: (session: Session) => Promise<T>,
): Promise<T> {
  const { listeners, request, context } = session;
  const files = new Set<string>();
  const observe = (event: DownloadMessage): void => {
    if (event.type === 'chapter-saved') files.add(event.file);
    if (event.type === 'chapter-retagged') files.add(event.newFile ?? event.file);
    listeners.observe(event);
  };
  try {
    return await run({ ...session, listeners: { ...listeners, observe } });
  } finally {
    // Without it, the next scan opens them.
    if (files.size > 0)
      await addToIndex(context.paths.state, request.output, files).catch(() => undefined);
  }
}
