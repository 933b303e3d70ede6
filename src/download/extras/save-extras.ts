/**
 * What belongs to chapters if it was asked for: covers, metadata of the series, and read marks. For chapters that were
 * there before the run, only what is missing is made, except with `--no-chapters`.
 */
import { resolve } from 'node:path';
import type { Chapter } from '../../service/chapters.js';
import { coversBaseUrl, coverUrl } from '../../service/titles.js';
import { fetchReadMarkers, markRead } from '../../service/account.js';
import { isFatal, TankobonError } from '../../core/errors.js';
import { fileErrorReason, makeFoldersBelow } from '../../core/files.js';
import { groupBy } from '../../core/group-by.js';
import { isFileError, toTankobonError } from '../../core/system-errors.js';
import type { ImageLoaderDeps } from '../../service/load-image.js';
import {
  foldersForCovers,
  foldersForMetadata,
  type ChapterlessTitle,
} from './chapterless-titles.js';
import { groupByFolder, saveCovers, type ChapterInFolder, type TitleFolder } from './cover.js';
import type { DownloadSession } from '../download-session.js';
import type { PlannedChapter } from '../plan.js';
import { withoutCovers, withoutSeriesMetadata, type PresentChapter } from './present-chapters.js';
import { openSavedCovers } from './saved-covers.js';
import { writeSeriesMetadata } from './series-metadata.js';

export interface ChaptersOfRun {
  readonly saved: readonly PlannedChapter[];
  /** Chapters that an earlier run saved. */
  readonly present: readonly PresentChapter[];
  readonly chapterless: readonly ChapterlessTitle[];
}

const COVER_NOT_SAVED = 'Cover not saved';
const METADATA_NOT_SAVED = 'Metadata of the series not saved';

/** Their failures are warnings; those that stop any run, such as a ban, make it incomplete. */
export async function saveExtras(
  chapters: ChaptersOfRun,
  session: DownloadSession,
  loader: ImageLoaderDeps,
): Promise<void> {
  const { cover, seriesMetadata, markRead: wantsReadMarks } = session.request;
  const extras = [
    ...(cover ? [[COVER_NOT_SAVED, () => covers(chapters, session, loader)] as const] : []),
    ...(seriesMetadata
      ? [[METADATA_NOT_SAVED, () => seriesFiles(chapters, session)] as const]
      : []),
    ...(wantsReadMarks
      ? [['Not marked as read', () => readMarks(chapters, session)] as const]
      : []),
  ];
  for (const [what, save] of extras) await orWarn(what, session, save);
}

/** A failure is a warning, one that stops any run an error of the run too. Rejects if the run was interrupted. */
async function orWarn(
  what: string,
  { listeners }: Pick<DownloadSession, 'listeners'>,
  save: () => Promise<void>,
): Promise<boolean> {
  try {
    await save();
    return true;
  } catch (error) {
    // One cover that cannot be read, for example.
    const named = isFileError(error) ? toTankobonError(error) : error;
    if (!(named instanceof TankobonError) || named.code === 'interrupted') throw error;
    const { hint } = named;
    const stopsRuns = isFatal(named);
    const message = `${what}: ${named.message}`;
    listeners.observe({ type: 'warning', message, hint, ...(stopsRuns && { error: named }) });
    return !stopsRuns;
  }
}

function inFolder({ job, ...planned }: PlannedChapter): ChapterInFolder {
  return { ...planned, file: job.file };
}

async function covers(
  { saved, present, chapterless }: ChaptersOfRun,
  session: DownloadSession,
  loader: ImageLoaderDeps,
): Promise<void> {
  const { client, service, userSignal, listeners, warn, request, context } = session;
  const which = request.cover === 'all' ? 'all' : 'one';
  const chapters = [...saved.map(inFolder), ...(await withoutCovers(present, request))];
  const folders = [
    ...(await groupByFolder(chapters)),
    ...(await foldersForCovers(chapterless, request)),
  ];
  if (folders.length === 0) return;
  const savedCovers = openSavedCovers(context.paths.state);
  const coversUrl = coversBaseUrl(service.addresses.apiUrl);
  const deps = { client, loader, coversUrl, signal: userSignal, warn, savedCovers };
  const onSaved = (file: string) => listeners.note?.(`cover saved: ${file}`);
  try {
    for (const folder of folders)
      if (!(await orWarn(COVER_NOT_SAVED, session, () => saveCovers(folder, which, onSaved, deps))))
        return;
  } finally {
    await savedCovers.save().catch((error: unknown) => {
      warn(`Which covers were saved was not stored: ${fileErrorReason(error)}`);
    });
  }
}

/** Only in folders of one title: another title would get its metadata. */
async function seriesFiles(
  { saved, present, chapterless }: ChaptersOfRun,
  session: DownloadSession,
): Promise<void> {
  const { warn, request } = session;
  const lacking = await withoutSeriesMetadata(present, request);
  const folders = [
    ...(await groupByFolder([...saved.map(inFolder), ...lacking])),
    ...(await foldersForMetadata(chapterless, request)),
  ];
  for (const titleFolder of folders) {
    const { folder, isShared } = titleFolder;
    if (isShared || resolve(folder) === resolve(request.output))
      warn(
        `No metadata of the series is saved, since the folder is not that of one title: ${folder}`,
      );
    else await orWarn(METADATA_NOT_SAVED, session, () => writeSeriesFiles(titleFolder, session));
  }
}

async function writeSeriesFiles(
  { folder, root, title, chapters }: TitleFolder,
  { service, listeners, warn, request: { hasVolumeBooks } }: DownloadSession,
): Promise<void> {
  const { mainCover, id } = title;
  const coversUrl = coversBaseUrl(service.addresses.apiUrl);
  const coverAddress = mainCover ? coverUrl(coversUrl, id, mainCover).href : '';
  const languages = [...new Set(chapters.map(({ language }) => language))];
  const series = { title, languages, hasVolumeBooks, coverAddress };
  if (root !== undefined) await makeFoldersBelow(root, folder);
  for (const file of await writeSeriesMetadata(folder, series, warn))
    listeners.note?.(`series metadata saved: ${file}`);
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
