/**
 * After a download with `bind`: binds the volumes that are complete, and removes the files of their chapters unless they
 * are to be kept. Chapters of earlier downloads in the output folder count too.
 */
import { fetchTitleFeed } from '../api/feeds.js';
import { scanLibrary } from '../cbz/library-index.js';
import type { TankobonError } from '../core/errors.js';
import type { Chapter } from '../api/chapters.js';
import type { Plan } from './plan.js';
import { bindBooks } from '../formats/bind-books.js';
import type { ChapterGroup } from '../formats/group-volumes.js';
import { missingChapters, type TitleChapters } from '../formats/volume-completeness.js';
import { bindRequest } from './bind-request.js';
import type { DownloadSession } from './download-session.js';

/** Resolves with the errors of books that could not be written. */
export async function bindDownloaded(
  plan: Plan,
  session: DownloadSession,
): Promise<readonly TankobonError[]> {
  const { bind: by, format, keepChapters } = session.request.options;
  if (by === false) return [];
  const { context, request, listeners, userSignal: signal } = session;
  const { output, force, selection } = request.plan;
  const titles = await titlesOf(plan, session);
  const listed = new Map(
    [...titles.values()].flatMap(({ chapters }) =>
      chapters.map((chapter) => [chapter.id, chapter] as const),
    ),
  );
  const library = await scanLibrary(output, { signal });
  const known = library.archives.filter(
    ({ chapterId, ownership }) => listed.has(chapterId) && ownership !== 'link',
  );
  // A PDF or a folder cannot be read back; it is compared with the new book.
  const files = new Set(
    known.map(({ file }) => file).filter((file) => /\.(cbz|epub)$/i.test(file)),
  );
  if (files.size === 0) return [];
  const presentIds = new Set(known.map(({ chapterId }) => chapterId));
  const observe = listeners.observeBind ?? (() => undefined);
  const nowMs = context.clock.wallMs();
  const isSelected = (group: ChapterGroup): boolean => {
    const found = titleOf(group, titles, listed);
    const { by, series, language, volume } = group;
    if (!found || by !== 'volume' || volume === undefined) return found !== undefined;
    const selected = { language: found.language, volume };
    const { missing, unavailable } = missingChapters(found.title, selected, { presentIds, nowMs });
    if (missing.length > 0)
      observe({ type: 'volume-incomplete', series, language, volume, missing, unavailable });
    else if (unavailable.length > 0)
      observe({ type: 'chapters-unavailable', series, language, volume, chapters: unavailable });
    return missing.length === 0;
  };
  const volumeCount = (group: ChapterGroup) => titleOf(group, titles, listed)?.title.volumeCount;
  const options = { by, format, output, force, group: selection.groups };
  const bindOptions = {
    ...bindRequest([], options, context.settings),
    found: [...files],
    removeChapters: !keepChapters,
    isSelected,
    volumeCount,
  };
  return (await bindBooks(bindOptions, observe, signal)).errors;
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
    const { numbersRestart = false, volumeCount } = (await title) ?? {};
    titles.set(titleId, { chapters, numbersRestart, volumeCount });
  }
  return titles;
}

/** The title of these chapters and their language in its list; undefined if they are not of a title in the plan. */
function titleOf(
  { chapters }: ChapterGroup,
  titles: ReadonlyMap<string, TitleChapters>,
  listed: ReadonlyMap<string, Chapter>,
): { readonly title: TitleChapters; readonly language: string } | undefined {
  const [first] = chapters.flatMap(({ identity }) => listed.get(identity?.chapterId ?? '') ?? []);
  const title = [...titles.values()].find(
    (candidate) => first && candidate.chapters.includes(first),
  );
  return first && title && { title, language: first.language };
}
