/**
 * From what a user named to the chapters to save: what each is called, where its CBZ goes, and what will be said
 * of it inside. Metadata is wanted here and never needed: a service that has none still yields a CBZ.
 */
import { join } from 'node:path';
import { distinctPaths, readNameTemplate } from '../archive/file-name.js';
import { identityComment } from '../archive/identity.js';
import { fetchChapter, fetchChapters, type Chapter } from '../catalogue/chapter.js';
import { comicFacts, nameValues } from '../catalogue/credits.js';
import { fetchTitle, type Title } from '../catalogue/title.js';
import type { Quality } from '../delivery/page-url.js';
import { ChapterError, hasCode, TankobonError } from '../kernel/errors.js';
import type { ServiceClient } from '../service/client.js';
import type { ChapterJob } from './chapter.js';
import type { KeptPage } from './workspace.js';

export interface PlanWish {
  readonly chapterIds: readonly string[];
  /** The folder that the CBZ files go to. */
  readonly output: string;
  readonly quality: Quality;
  /** Load again what is there. */
  readonly replace: boolean;
  readonly metadata: boolean;
  readonly nameTemplate: string;
}

export interface Plan {
  readonly jobs: readonly ChapterJob[];
  /** Chapters that are known not to be had, each with why. */
  readonly lost: readonly { readonly id: string; readonly error: TankobonError }[];
}

export interface PlanParts {
  readonly client: ServiceClient;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Throws what concerns the run as a whole: a cooldown, an unreachable service, a wrong template. */
export async function planChapters(wish: PlanWish, parts: PlanParts): Promise<Plan> {
  const nameChapter = readNameTemplate(wish.nameTemplate);
  const known = wish.metadata
    ? await askChapters(wish.chapterIds, parts)
    : new Map<string, Chapter>();
  const titles = new Titles(parts);
  const lost: { id: string; error: TankobonError }[] = [];
  const wanted = wish.chapterIds.flatMap((id) => {
    const chapter = known.get(id);
    const error = chapter && whyNot(chapter);
    if (error) {
      lost.push({ id, error });
      return [];
    }
    const path = chapter ? nameChapter(nameValues(chapter, chapter.titleInBrief)) : `${id}.cbz`;
    return [{ chapterId: id, chapter, path }];
  });
  const paths = distinctPaths(wanted);
  const jobs = wanted.map(({ chapterId, chapter }, index): ChapterJob => {
    const { quality, replace } = wish;
    return {
      id: chapterId,
      file: join(wish.output, paths[index] ?? `${chapterId}.cbz`),
      quality,
      replace,
      comment: identityComment({
        chapterId,
        quality,
        ...(chapter && { version: chapter.version }),
      }),
      ...(chapter && {
        comicInfo: (pages: readonly KeptPage[]) => comicInfoOf(chapter, titles, pages),
      }),
    };
  });
  return { jobs, lost };
}

/** Why a chapter that was asked for by name cannot be had, as far as its metadata tell. */
function whyNot(chapter: Chapter): ChapterError | undefined {
  if (chapter.externalUrl !== undefined && chapter.pages === 0) {
    const message = `Chapter ${chapter.id} is hosted elsewhere: ${chapter.externalUrl}`;
    return new ChapterError('chapter-external', message);
  }
  if (chapter.isUnavailable)
    return new ChapterError('chapter-unavailable', `Chapter ${chapter.id} is not available.`);
  return undefined;
}

async function askChapters(
  ids: readonly string[],
  parts: PlanParts,
): Promise<ReadonlyMap<string, Chapter>> {
  try {
    const [only] = ids;
    if (only === undefined) return new Map();
    if (ids.length > 1) return await fetchChapters(parts.client, ids, parts.signal);
    return new Map([[only, await fetchChapter(parts.client, only, parts.signal)]]);
  } catch (error) {
    if (!isPassedOver(error)) throw error;
    parts.warn(
      `The service gives no metadata, so the CBZ is named by the chapter's id and holds no ComicInfo.xml. ${error.message}`,
    );
    return new Map();
  }
}

/** Without metadata there is still a chapter, unless the service is gone or wants nothing more to be sent. */
function isPassedOver(error: unknown): error is TankobonError {
  return hasCode(error, 'request-refused', 'bad-answer', 'service-failed');
}

/** The titles of this run, each asked for once, while pages load. */
class Titles {
  readonly #asked = new Map<string, Promise<Title | undefined>>();

  constructor(private readonly parts: PlanParts) {}

  /** The title with its people; where the service has none to give, what the chapter's answer said. */
  async of(chapter: Chapter): Promise<Title | undefined> {
    const { titleId, titleInBrief } = chapter;
    if (titleId === undefined) return titleInBrief;
    let asked = this.#asked.get(titleId);
    if (!asked) {
      asked = this.#ask(titleId);
      this.#asked.set(titleId, asked);
    }
    return (await asked) ?? titleInBrief;
  }

  async #ask(titleId: string): Promise<Title | undefined> {
    try {
      return await fetchTitle(this.parts.client, titleId, this.parts.signal);
    } catch (error) {
      this.parts.signal.throwIfAborted();
      if (!(error instanceof TankobonError)) throw error;
      this.parts.warn(
        `ComicInfo.xml will be short, since the title could not be asked for: ${error.message}`,
      );
      return undefined;
    }
  }
}

async function comicInfoOf(
  chapter: Chapter,
  titles: Titles,
  pages: readonly KeptPage[],
): Promise<string> {
  const { comicInfoXml } = await import('../archive/comic-info.js');
  const { pictureSizeOfFile } = await import('../archive/picture-size.js');
  const sized = await Promise.all(
    pages.map(async ({ file, bytes }) => ({ bytes, ...(await pictureSizeOfFile(file)) })),
  );
  return comicInfoXml(comicFacts(chapter, await titles.of(chapter), sized));
}
