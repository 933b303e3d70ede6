/**
 * After a download with `bind`: binds the volumes that are complete, and removes the files of their chapters unless they
 * are to be kept. Chapters of earlier downloads in the output folder count too.
 */
import { fetchTitleFeed } from '../api/feeds.js';
import { scanLibrary } from '../cbz/library-index.js';
import { removeFile } from '../core/files.js';
import type { TankobonError } from '../core/errors.js';
import type { Chapter } from '../api/chapters.js';
import type { Plan } from '../download/plan.js';
import { bindBooks, type BoundBook } from '../formats/bind.js';
import type { ChapterGroup } from '../formats/group-volumes.js';
import { missingChapters, type TitleChapters } from '../formats/volume-completeness.js';
import { bindRequest } from './bind-request.js';
import type { DownloadSession } from './download-session.js';

/** Resolves with the errors of books that could not be written. */
export async function bindDownloaded(
  plan: Plan,
  session: DownloadSession,
): Promise<readonly TankobonError[]> {
  const { bind } = session.request;
  if (!bind) return [];
  const { context, request, listeners, userSignal: signal } = session;
  const { output, force, selection } = request.plan;
  const titles = await titlesOf(plan, session);
  const listed = new Map(
    [...titles.values()].flatMap(({ chapters }) => chapters.map((one) => [one.id, one] as const)),
  );
  const library = await scanLibrary(output, { signal });
  const known = library.archives.filter(({ chapterId }) => listed.has(chapterId));
  // A PDF or a folder cannot be read back; it is compared with the new book.
  const files = new Set(
    known.map(({ file }) => file).filter((file) => /\.(cbz|epub)$/i.test(file)),
  );
  if (files.size === 0) return [];
  const presentIds = new Set(known.map(({ chapterId }) => chapterId));
  const observe = listeners.observeBind ?? (() => undefined);
  const isWanted = (group: ChapterGroup): boolean => {
    const missing = missingFrom(group, titles, listed, presentIds);
    if (missing === undefined || missing.length === 0) return missing !== undefined;
    const { series, language, volume } = group;
    observe({ type: 'volume-incomplete', series, language, volume, missing });
    return false;
  };
  const options = { ...bind, output, force, groups: selection.groups };
  const books = await bindBooks(
    { ...bindRequest([...files], options, context.settings), isWanted },
    observe,
    signal,
  );
  if (!bind.keepChapters) for (const book of books.books) await removeChapters(book);
  return books.errors;
}

/** The service's chapters of each title in the plan, also of those that are only known by a chapter. */
async function titlesOf(
  plan: Plan,
  { client, userSignal: signal, warn }: DownloadSession,
): Promise<ReadonlyMap<string, TitleChapters>> {
  const titles = new Map<string, TitleChapters>(
    plan.series.map(({ titleId, ...title }) => [titleId, title]),
  );
  for (const { chapter, title } of plan.chapters) {
    const titleId = chapter?.titleId;
    if (titleId === undefined || titles.has(titleId)) continue;
    const { language } = chapter ?? {};
    const languages = language === undefined ? [] : [language];
    const chapters = await fetchTitleFeed(client, titleId, { languages, signal, warn });
    titles.set(titleId, { chapters, numbersRestart: (await title)?.numbersRestart ?? false });
  }
  return titles;
}

/** Undefined for chapters that are not of a title in the plan; nothing is missing from a whole title. */
function missingFrom(
  { by, volume, chapters }: ChapterGroup,
  titles: ReadonlyMap<string, TitleChapters>,
  listed: ReadonlyMap<string, Chapter>,
  presentIds: ReadonlySet<string>,
): readonly string[] | undefined {
  const known = chapters.flatMap(({ identity }) => listed.get(identity?.chapterId ?? '') ?? []);
  const [first] = known;
  const title = [...titles.values()].find((one) => first && one.chapters.includes(first));
  if (!first || !title) return undefined;
  if (by !== 'volume' || volume === undefined) return [];
  return missingChapters(title, { language: first.language, volume }, presentIds);
}

/** Only files that tankobon made of one chapter each. */
async function removeChapters({ file: book, status, group }: BoundBook): Promise<void> {
  if (status === 'failed') return;
  for (const { file, isBound, identity } of group.chapters)
    if (!isBound && identity && file !== book) await removeFile(file);
}
