/**
 * What belongs to chapters if it was asked for: covers, metadata of the series, and read marks. For chapters that were
 * there before the run, only what is missing is made.
 */
import { resolve } from 'node:path';
import type { Chapter } from '../../service/chapters.js';
import { coversBaseUrl, coverUrl } from '../../service/titles.js';
import { fetchReadMarkers, markRead } from '../../service/account.js';
import { isFatal, TankobonError } from '../../core/errors.js';
import { fileErrorReason } from '../../core/files.js';
import { groupBy } from '../../core/group-by.js';
import { isFileError, toTankobonError } from '../../core/system-errors.js';
import type { ImageLoaderDeps } from '../../service/load-image.js';
import { groupByFolder, saveCovers, type ChapterInFolder } from './cover.js';
import type { DownloadSession } from '../download-session.js';
import type { PlannedChapter } from '../planning/plan-jobs.js';
import { withoutCovers, withoutSeriesMetadata, type PresentChapter } from './present-chapters.js';
import { SavedCovers } from './saved-covers.js';
import { writeSeriesMetadata } from './series-metadata.js';

export interface ChaptersOfRun {
  readonly saved: readonly PlannedChapter[];
  /** Chapters that an earlier run saved. */
  readonly present: readonly PresentChapter[];
}

/** Their failures are warnings; those that stop any run, such as a ban, make it incomplete. */
export async function saveExtras(
  chapters: ChaptersOfRun,
  session: DownloadSession,
  loader: ImageLoaderDeps,
): Promise<void> {
  const { cover, seriesMetadata, markRead: wantsReadMarks } = session.request;
  const extras = [
    ...(cover ? [['Cover not saved', () => covers(chapters, session, loader)] as const] : []),
    ...(seriesMetadata
      ? [['Metadata of the series not saved', () => seriesFiles(chapters, session)] as const]
      : []),
    ...(wantsReadMarks
      ? [['Not marked as read', () => readMarks(chapters, session)] as const]
      : []),
  ];
  for (const [what, save] of extras) {
    try {
      await save();
    } catch (error) {
      // One cover that cannot be read, for example.
      const named = isFileError(error) ? toTankobonError(error) : error;
      if (!(named instanceof TankobonError) || named.code === 'interrupted') throw error;
      const { hint } = named;
      const message = `${what}: ${named.message}`;
      const stopping = isFatal(named) && { error: named };
      session.listeners.observe({ type: 'warning', message, hint, ...stopping });
    }
  }
}

function inFolder({ job, ...planned }: PlannedChapter): ChapterInFolder {
  return { ...planned, file: job.file };
}

async function covers(
  { saved, present }: ChaptersOfRun,
  { client, service, userSignal, listeners, warn, request, context }: DownloadSession,
  loader: ImageLoaderDeps,
): Promise<void> {
  const which = request.cover === 'all' ? 'all' : 'one';
  const chapters = [...saved.map(inFolder), ...(await withoutCovers(present, which))];
  if (chapters.length === 0) return;
  const savedCovers = await SavedCovers.open(context.paths.state);
  try {
    const files = await saveCovers(chapters, which, {
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
  { saved, present }: ChaptersOfRun,
  { service, listeners, warn, request }: DownloadSession,
): Promise<void> {
  const { output, hasVolumeBooks } = request;
  const coversUrl = coversBaseUrl(service.addresses.apiUrl);
  const lacking = await withoutSeriesMetadata(present, output);
  const all = [...saved.map(inFolder), ...lacking];
  for (const { folder, title, chapters, isShared } of await groupByFolder(all)) {
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
  { saved, present }: ChaptersOfRun,
  session: DownloadSession,
): Promise<void> {
  const { client, userSignal } = session;
  const chapters = [
    ...saved.map(({ job: { id }, chapter }) => ({ id, titleId: chapter?.titleId })),
    ...(await unmarked(present, session)),
  ];
  for (const [titleId, ofTitle] of groupBy(chapters, (chapter) => chapter.titleId)) {
    const ids = ofTitle.map(({ id }) => id);
    await markRead(client, titleId, ids, userSignal);
  }
}

/** One request asks for the markers of a hundred titles. */
async function unmarked(
  present: readonly PresentChapter[],
  { client, userSignal, warn }: DownloadSession,
): Promise<readonly Chapter[]> {
  const chapters = present.map(({ chapter }) => chapter);
  const titleIds = new Set(chapters.flatMap(({ titleId }) => titleId ?? []));
  const read = await fetchReadMarkers(client, [...titleIds], userSignal);
  if (read) return chapters.filter(({ id }) => !read.has(id.toLowerCase()));
  warn(
    'MangaDex does not say which chapters are read: those that were saved before are not marked.',
  );
  return [];
}
