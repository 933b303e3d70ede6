/**
 * The releases that the service listed of each title, in the state folder: an overview of a large collection asks only
 * for titles that changed, and releases that were deleted since still say which chapters there are. If a file is deleted,
 * its title is read again.
 */
import { join } from 'node:path';
import * as z from 'zod';
import type { Chapter } from '../service/chapters.js';
import type { ServiceClient } from '../service/client.js';
import { fetchTitleFeed } from '../service/feeds.js';
import { isInLanguages } from './exclusions.js';
import type { Title } from '../service/titles.js';
import { CacheFile } from '../core/cache-file.js';
import { isUuid } from '../core/uuid.js';

interface TitleListing {
  readonly numbersRestart: boolean;
  readonly releases: readonly Chapter[];
  /** Releases that the service listed before, and does not list any more. */
  readonly earlier: readonly Chapter[];
}

export interface CachedListing extends TitleListing {
  readonly name: string;
  readonly status: string | undefined;
  /** When all releases were requested, in milliseconds since 1970; 0 if only those of some languages were. */
  readonly checkedAtMs: number;
  /** The chapter that was uploaded last then. */
  readonly latestChapterId: string | undefined;
  /** The titles that were merged into this one: files name their ids. */
  readonly formerIds: readonly string[];
  /** The titles of the chapters that files have and the list lacks, as the service said: this one, or one to which it moved them. */
  readonly titlesOfUnlisted: Readonly<Record<string, string>>;
}

const MAX_AGE_MS = 7 * 24 * 3_600_000;

interface ReadDeps {
  readonly client: ServiceClient;
  readonly nowMs: number;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** The list of the title with the releases of some languages as they are now; no languages stand for all. */
export function mergeListing(
  title: Title,
  releases: readonly Chapter[],
  languages: readonly string[],
  known: CachedListing | undefined,
): CachedListing {
  const others = known?.releases.filter((release) => !isInLanguages(release, languages)) ?? [];
  const all = [...releases, ...others];
  const { name, status, numbersRestart } = title;
  const { checkedAtMs = 0, latestChapterId, formerIds = [], titlesOfUnlisted = {} } = known ?? {};
  const earlier = notListed(all, known);
  const checked = { latestChapterId, checkedAtMs, formerIds, titlesOfUnlisted };
  return { name, status, numbersRestart, releases: all, earlier, ...checked };
}

/** The list of the title with those of titles that were merged into it. It is read again before it counts as complete. */
function joinListings(
  { name, status, numbersRestart }: Title,
  known: CachedListing | undefined,
  former: ReadonlyMap<string, CachedListing | undefined>,
): CachedListing {
  const listings = [known, ...former.values()].filter((listing) => listing !== undefined);
  const releases = onceEach(listings.flatMap((listing) => listing.releases));
  const earlier = onceEach(listings.flatMap((listing) => notListed(releases, listing)));
  const formerIds = [...listings.flatMap((listing) => listing.formerIds), ...former.keys()];
  const checked = {
    latestChapterId: undefined,
    checkedAtMs: 0,
    formerIds: [...new Set(formerIds)],
    titlesOfUnlisted: Object.assign(
      {},
      ...listings.map((listing) => listing.titlesOfUnlisted),
    ) as CachedListing['titlesOfUnlisted'],
  };
  return { name, status, numbersRestart, releases, earlier, ...checked };
}

function onceEach(releases: readonly Chapter[]): readonly Chapter[] {
  return [...new Map(releases.map((release) => [release.id, release])).values()];
}

/** Titles with more releases than this that the service deleted do not exist. */
const MAX_EARLIER = 5_000;

function notListed(
  releases: readonly Chapter[],
  known: TitleListing | undefined,
): readonly Chapter[] {
  const listed = new Set(releases.map(({ id }) => id));
  return [...(known?.releases ?? []), ...(known?.earlier ?? [])]
    .filter(({ id }) => !listed.has(id))
    .slice(0, MAX_EARLIER);
}

const text = z.string().optional();
const date = z
  .string()
  .optional()
  .transform((value) => (value === undefined ? undefined : new Date(value)));

const storedChapter = z
  .object({
    id: z.string(),
    number: text,
    volume: text,
    title: text,
    language: z.string(),
    pages: z.number().optional(),
    externalUrl: text,
    isUnavailable: z.boolean(),
    version: z.number(),
    publishAt: date,
    readableAt: date,
    createdAt: date,
    updatedAt: date,
    groups: z.array(z.object({ id: z.string(), name: z.string() })),
    titleId: text,
    uploaderId: text,
  })
  // Fields by their names take less memory than a copy, and a library has thousands of chapters.
  .transform((chapter): Chapter => ({
    id: chapter.id,
    number: chapter.number,
    volume: chapter.volume,
    title: chapter.title,
    language: chapter.language,
    pages: chapter.pages,
    externalUrl: chapter.externalUrl,
    isUnavailable: chapter.isUnavailable,
    version: chapter.version,
    publishAt: chapter.publishAt,
    readableAt: chapter.readableAt,
    createdAt: chapter.createdAt,
    updatedAt: chapter.updatedAt,
    groups: chapter.groups,
    titleId: chapter.titleId,
    uploaderId: chapter.uploaderId,
    partialTitle: undefined,
  }));

const storedChapters = z.array(storedChapter);

function withoutPartial(chapters: readonly Chapter[]): readonly Chapter[] {
  return chapters.map((chapter) => ({ ...chapter, partialTitle: undefined }));
}

const cachedListing = z.object({
  name: z.string(),
  status: z.string().optional(),
  checkedAtMs: z.number(),
  latestChapterId: z.string().optional(),
  numbersRestart: z.boolean(),
  releases: storedChapters,
  earlier: storedChapters.default([]),
  formerIds: z.array(z.string()).default([]),
  titlesOfUnlisted: z.record(z.string(), z.string()).default({}),
});

const mergedTitle = z.object({ mergedInto: z.string() });

type KeptTitle = CachedListing | z.infer<typeof mergedTitle>;

function parseKept(value: unknown): KeptTitle | undefined {
  const { data } = cachedListing.safeParse(value);
  if (data) return { status: undefined, latestChapterId: undefined, ...data };
  return mergedTitle.safeParse(value).data;
}

export class ListingCache {
  constructor(private readonly stateFolder: string) {}

  /** Undefined for a title that was not read yet, or whose file is not readable. */
  read(titleId: string): CachedListing | undefined {
    return this.readCurrent(titleId).listing;
  }

  /** The list of the title into which this one was merged, or its own. */
  readCurrent(
    titleId: string,
    merged: readonly string[] = [],
  ): { readonly id: string; readonly listing: CachedListing | undefined } {
    const kept = this.#read(titleId);
    if (!kept || 'name' in kept) return { id: titleId, listing: kept };
    const { mergedInto } = kept;
    if (!isUuid(mergedInto) || merged.includes(mergedInto))
      return { id: titleId, listing: undefined };
    return this.readCurrent(mergedInto, [...merged, titleId]);
  }

  /** Whether the releases of all languages were read within a week. */
  static isRecent({ checkedAtMs }: Pick<CachedListing, 'checkedAtMs'>, nowMs: number): boolean {
    return Math.abs(nowMs - checkedAtMs) < MAX_AGE_MS;
  }

  /** Whether the title has a new chapter, or was not read for a week. */
  static isDue(
    title: Title,
    last: Pick<CachedListing, 'latestChapterId' | 'checkedAtMs'> | undefined,
    nowMs: number,
  ): boolean {
    if (last === undefined || title.latestChapterId !== last.latestChapterId) return true;
    return !ListingCache.isRecent(last, nowMs);
  }

  /** Reads the title's list from the service. */
  static async fetch(
    title: Title,
    known: CachedListing | undefined,
    { client, nowMs, warn, signal }: ReadDeps,
  ): Promise<CachedListing> {
    const releases = await fetchTitleFeed(client, title.id, { signal, warn });
    const { name, status, numbersRestart, latestChapterId } = title;
    const { formerIds = [], titlesOfUnlisted = {} } = known ?? {};
    const earlier = notListed(releases, known);
    const checked = { latestChapterId, checkedAtMs: nowMs, formerIds, titlesOfUnlisted };
    return { name, status, numbersRestart, releases, earlier, ...checked };
  }

  /** The list of the title, which is read from the service if it is due. */
  async current(title: Title, deps: ReadDeps): Promise<CachedListing> {
    const known = this.read(title.id);
    if (known && !ListingCache.isDue(title, known, deps.nowMs)) return known;
    const listing = await ListingCache.fetch(title, known, deps);
    await this.write(title.id, listing);
    return listing;
  }

  /** The list of the title with those of `formerIds`, which were merged into it. */
  joinFormer(
    title: Title,
    known: CachedListing | undefined,
    formerIds: readonly string[],
  ): CachedListing {
    const former = new Map<string, CachedListing | undefined>();
    for (const id of formerIds) {
      const { id: current, listing } = this.readCurrent(id);
      former.set(id, current === id ? listing : undefined);
    }
    return joinListings(title, known, former);
  }

  async writeMerged(titleId: string, into: Title): Promise<void> {
    const known = this.read(into.id);
    await this.write(into.id, this.joinFormer(into, known, [titleId]));
    await this.#write(titleId, { mergedInto: into.id });
  }

  /** Without the list, as on a full disk, a later run asks for it again. */
  async writeIfPossible(titleId: string, listing: CachedListing): Promise<void> {
    await this.write(titleId, listing).catch(() => undefined);
  }

  async write(titleId: string, { releases, earlier, ...listing }: CachedListing): Promise<void> {
    const stored = { releases: withoutPartial(releases), earlier: withoutPartial(earlier) };
    await this.#write(titleId, { ...listing, ...stored });
  }

  #read(titleId: string): KeptTitle | undefined {
    const file = CacheFile.open(this.#file(titleId), {
      parse: parseKept,
      older: (listing) => ({ [titleId]: listing }),
    });
    return file.get(titleId);
  }

  async #write(titleId: string, kept: KeptTitle): Promise<void> {
    // A disk needs milliseconds to sync a file, and an overview writes one for each title.
    const canBeReadAgain = 'name' in kept && kept.earlier.length + kept.formerIds.length === 0;
    await CacheFile.write(this.#file(titleId), { [titleId]: kept }, !canBeReadAgain);
  }

  /** A list of thousands of releases is read alone. */
  #file(titleId: string): string {
    return join(this.stateFolder, 'listings', `${titleId}.json`);
  }
}
