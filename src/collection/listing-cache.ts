/**
 * The chapters that the service listed of each title, in the state folder: an overview of a large collection asks only
 * for titles that changed. If a file is deleted, its title is read again.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolders, readFileIfExists, writeFileAtomic } from '../core/files.js';
import { parseJson } from '../core/json.js';
import type { TitleListing } from './title-overview.js';

export interface CachedListing extends TitleListing {
  readonly name: string;
  readonly status: string | undefined;
  /** When the service was asked, in milliseconds since 1970. */
  readonly checkedAtMs: number;
  /** The chapter that was uploaded last then. */
  readonly latestChapterId: string | undefined;
}

const text = z.string().optional();
const date = z.iso
  .datetime()
  .transform((value) => new Date(value))
  .optional();
const listing = z.object({
  name: z.string(),
  status: text,
  checkedAtMs: z.number(),
  latestChapterId: text,
  numbersRestart: z.boolean(),
  releases: z.array(
    z.object({
      id: z.string(),
      number: text,
      volume: text,
      title: text,
      language: z.string(),
      pages: z.number().optional(),
      externalUrl: text,
      isUnavailable: z.boolean(),
      publishAt: date,
      readableAt: date,
    }),
  ),
});

export class ListingCache {
  constructor(private readonly stateFolder: string) {}

  /** Undefined for a title that was not read yet, or whose file is not readable. */
  async read(titleId: string): Promise<CachedListing | undefined> {
    const bytes = await readFileIfExists(this.#file(titleId)).catch(() => undefined);
    const parsed = listing.safeParse(parseJson(bytes?.toString('utf8') ?? ''));
    return parsed.data as CachedListing | undefined;
  }

  async write(titleId: string, { releases, ...listing }: CachedListing): Promise<void> {
    const fields = releases.map(
      ({ id, number, volume, title, language, pages, externalUrl, ...more }) => {
        const { isUnavailable, publishAt, readableAt } = more;
        const known = { id, number, volume, title, language, pages, externalUrl };
        return { ...known, isUnavailable, publishAt, readableAt };
      },
    );
    makeFolders(this.#folder, 0o700);
    const content = JSON.stringify({ ...listing, releases: fields });
    await writeFileAtomic(this.#file(titleId), content, { mode: 0o600 });
  }

  get #folder(): string {
    return join(this.stateFolder, 'listings');
  }

  #file(titleId: string): string {
    return join(this.#folder, `${titleId}.json`);
  }
}
