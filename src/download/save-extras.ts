/** What belongs to saved chapters if it was asked for: covers, metadata of the series, and read marks. */
import { resolve } from 'node:path';
import { coversBaseUrl, coverUrl } from '../api/covers.js';
import { markRead } from '../api/read-markers.js';
import { TankobonError } from '../core/errors.js';
import { EXIT } from '../core/exit-codes.js';
import { fileErrorReason } from '../core/files.js';
import { groupBy } from '../core/group-by.js';
import { isFileError, toTankobonError } from '../core/system-errors.js';
import type { ImageLoaderDeps } from '../image/load-image.js';
import { groupByFolder, saveCovers } from './cover.js';
import type { DownloadSession } from './download-session.js';
import type { PlannedChapter } from './plan-jobs.js';
import { SavedCovers } from './saved-covers.js';
import { writeSeriesMetadata } from './series-metadata.js';

/** Their failures are warnings; those that stop any run, such as a ban, make it incomplete. */
export async function saveExtras(
  saved: readonly PlannedChapter[],
  session: DownloadSession,
  loader: ImageLoaderDeps,
): Promise<void> {
  const { cover, seriesMetadata, markRead: wantsReadMarks } = session.request;
  const extras = [
    ...(cover ? [['Cover not saved', () => covers(saved, session, loader)] as const] : []),
    ...(seriesMetadata
      ? [['Metadata of the series not saved', () => seriesFiles(saved, session)] as const]
      : []),
    ...(wantsReadMarks ? [['Not marked as read', () => readMarks(saved, session)] as const] : []),
  ];
  for (const [what, save] of extras) {
    try {
      await save();
    } catch (error) {
      // One cover that cannot be read, for example.
      const named = isFileError(error) ? toTankobonError(error) : error;
      if (!(named instanceof TankobonError) || named.code === 'interrupted') throw error;
      const { hint, exitCode } = named;
      const stopsRuns = exitCode === EXIT.cooldown || exitCode === EXIT.captcha;
      const message = `${what}: ${named.message}`;
      const stopping = stopsRuns && { error: named };
      session.listeners.observe({ type: 'warning', message, hint, ...stopping });
    }
  }
}

async function covers(
  saved: readonly PlannedChapter[],
  { client, service, userSignal, listeners, warn, request, context }: DownloadSession,
  loader: ImageLoaderDeps,
): Promise<void> {
  const savedCovers = await SavedCovers.open(context.paths.state);
  try {
    const files = await saveCovers(saved, request.cover === 'all' ? 'all' : 'one', {
      client,
      loader,
      coversUrl: coversBaseUrl(service.addresses.apiUrl),
      signal: userSignal,
      warn,
      savedCovers,
    });
    for (const file of files) listeners.note?.(`cover saved: ${file}`);
  } finally {
    await savedCovers.save().catch((error: unknown) => {
      warn(`Which covers were saved was not stored: ${fileErrorReason(error)}`);
    });
  }
}

/** Only in folders of one title: another title would get its metadata. */
async function seriesFiles(
  saved: readonly PlannedChapter[],
  { service, listeners, warn, request }: DownloadSession,
): Promise<void> {
  const { output, hasVolumeBooks } = request;
  const coversUrl = coversBaseUrl(service.addresses.apiUrl);
  for (const { folder, title, chapters, isShared } of await groupByFolder(saved)) {
    if (isShared || resolve(folder) === resolve(output)) {
      warn(
        `No metadata of the series is saved, since the folder is not that of one title: ${folder}`,
      );
      continue;
    }
    const { mainCover, id } = title;
    const coverAddress = mainCover ? coverUrl(coversUrl, id, mainCover).href : '';
    const languages = [...new Set(chapters.map(({ language }) => language))];
    const series = { title, languages, hasVolumeBooks, coverAddress };
    for (const file of await writeSeriesMetadata(folder, series, warn))
      listeners.note?.(`series metadata saved: ${file}`);
  }
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
