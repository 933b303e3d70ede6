/**
 * The releases of followed titles: their common feed has only what is new, and a decision needs all releases of a
 * chapter. One file for each title, which is read only when there is something to decide.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { readFileIfExists, makeFolders, writeFileAtomic } from '../core/files.js';
import { parseJson } from '../core/json.js';
import type { Chapter } from '../api/chapters.js';

const text = z.string().optional();
const date = z
  .string()
  .optional()
  .transform((value) => (value === undefined ? undefined : new Date(value)));

const release = z.object({
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
});
const releases = z.array(release);

const FILE_MODE = 0o600;
const fileOf = (folder: string, titleId: string) => join(folder, 'releases', `${titleId}.json`);

/** An unreadable file counts as empty. */
export async function readKnownReleases(folder: string, titleId: string): Promise<Chapter[]> {
  const bytes = await readFileIfExists(fileOf(folder, titleId));
  const parsed = releases.safeParse(parseJson(bytes?.toString('utf8') ?? ''));
  if (!parsed.success) return [];
  return parsed.data.map((release) => ({
    number: undefined,
    volume: undefined,
    title: undefined,
    pages: undefined,
    externalUrl: undefined,
    titleId: undefined,
    ...release,
    partialTitle: undefined,
  }));
}

export async function writeKnownReleases(
  folder: string,
  titleId: string,
  chapters: readonly Chapter[],
): Promise<void> {
  const file = fileOf(folder, titleId);
  makeFolders(join(folder, 'releases'), 0o700);
  const records = chapters.map((chapter) => ({ ...chapter, partialTitle: undefined }));
  await writeFileAtomic(file, JSON.stringify(records), { mode: FILE_MODE });
}

/** The known releases with the new ones, which replace older versions of themselves. */
export function mergeReleases(known: readonly Chapter[], fresh: readonly Chapter[]): Chapter[] {
  return [...new Map([...known, ...fresh].map((chapter) => [chapter.id, chapter])).values()];
}
