/** Chapters as the files of the state folder have them. */
import * as z from 'zod';
import type { Chapter } from '../../service/chapters.js';

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
  .transform((chapter): Chapter => ({
    number: undefined,
    volume: undefined,
    title: undefined,
    pages: undefined,
    externalUrl: undefined,
    titleId: undefined,
    ...chapter,
    partialTitle: undefined,
  }));

export const storedChapters = z.array(storedChapter);

/** What storedChapters reads, as a value for JSON. */
export function toStored(chapters: readonly Chapter[]): readonly unknown[] {
  return chapters.map((chapter) => ({ ...chapter, partialTitle: undefined }));
}
