/** What belongs to saved chapters if it was asked for: covers and read marks. */
import { coversBaseUrl } from '../api/covers.js';
import { markRead } from '../api/read-markers.js';
import { TankobonError } from '../core/errors.js';
import { EXIT } from '../core/exit-codes.js';
import { groupBy } from '../core/group-by.js';
import type { ImageLoaderDeps } from '../image/load-image.js';
import { saveCovers } from './cover.js';
import type { DownloadSession } from './download-session.js';
import type { PlannedChapter } from './plan-jobs.js';

/** Their failures are warnings; those that stop any run, such as a ban, make it incomplete. */
export async function saveExtras(
  saved: readonly PlannedChapter[],
  session: DownloadSession,
  loader: ImageLoaderDeps,
): Promise<void> {
  const { cover, markRead: wantsReadMarks } = session.request;
  const extras = [
    ...(cover ? [['Cover not saved', () => covers(saved, session, loader)] as const] : []),
    ...(wantsReadMarks ? [['Not marked as read', () => readMarks(saved, session)] as const] : []),
  ];
  for (const [what, save] of extras) {
    try {
      await save();
    } catch (error) {
      if (!(error instanceof TankobonError) || error.code === 'interrupted') throw error;
      const { hint, exitCode } = error;
      const stopsRuns = exitCode === EXIT.cooldown || exitCode === EXIT.captcha;
      const message = `${what}: ${error.message}`;
      session.listeners.observe({ type: 'warning', message, hint, ...(stopsRuns && { error }) });
    }
  }
}

async function covers(
  saved: readonly PlannedChapter[],
  { client, service, userSignal, listeners, warn, request }: DownloadSession,
  loader: ImageLoaderDeps,
): Promise<void> {
  const files = await saveCovers(saved, request.cover === 'all' ? 'all' : 'one', {
    client,
    loader,
    coversUrl: coversBaseUrl(service.addresses.apiUrl),
    signal: userSignal,
    warn,
  });
  for (const file of files) listeners.note?.(`cover saved: ${file}`);
}

async function readMarks(
  saved: readonly PlannedChapter[],
  { client, userSignal }: DownloadSession,
): Promise<void> {
  for (const [titleId, chapters] of groupBy(saved, ({ chapter }) => chapter?.titleId)) {
    const ids = chapters.map(({ job }) => job.id);
    await markRead(client, titleId, ids, userSignal);
  }
}
