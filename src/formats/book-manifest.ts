/** The manifest in a book: from that of a CBZ or EPUB its chapters can be read back, with everything known of them. */
import { z } from 'zod';
import { parseJson } from '../core/json.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { AGE_RATINGS } from '../cbz/comic-info.js';
import { QUALITIES } from '../image/page-url.js';
import { chapterPrefix } from './book.js';
import { sourceKey, type SourceChapter } from './source-chapter.js';

export interface ManifestChapter extends Pick<SourceChapter, 'identity' | 'metadata'> {
  /** The beginning of the names of the chapter's pages. */
  readonly prefix: string;
}

/** The same chapters always give the same text. `files`: the sha256 of each file of a book in a folder, by its path. */
export function manifestText(
  chapters: readonly SourceChapter[],
  files?: Readonly<Record<string, string>>,
): string {
  const entries = chapters.map((chapter, index) => ({
    ...chapter.identity,
    key: sourceKey(chapter),
    prefix: chapterPrefix(index, chapters.length),
    metadata: chapter.metadata,
  }));
  return `${JSON.stringify({ chapters: entries, files })}\n`;
}

const texts = z.array(z.string()).optional();
const text = z.string().optional();
const metadata = z.object({
  title: text,
  series: text,
  number: text,
  volume: text,
  summary: text,
  publishedAt: z.coerce.date().optional(),
  writers: texts,
  pencillers: texts,
  translators: texts,
  genres: texts,
  tags: texts,
  web: text,
  language: text,
  direction: z.enum(['rtl', 'ltr']).optional(),
  ageRating: z.enum(AGE_RATINGS).optional(),
});
const manifest = z.object({
  chapters: z.array(
    z.object({
      chapterId: z
        .string()
        .regex(new RegExp(`^${UUID_PATTERN}$`))
        .optional(),
      version: z.int().positive().optional(),
      quality: z.enum(QUALITIES).optional(),
      prefix: z.string().regex(/^c\d+-$/),
      metadata,
    }),
  ),
});

/** Undefined for anything but a manifest. */
export function parseManifest(json: string): ManifestChapter[] | undefined {
  const parsed = manifest.safeParse(parseJson(json));
  return parsed.data?.chapters.map(({ chapterId, version, quality, prefix, metadata }) => ({
    identity: chapterId === undefined ? undefined : { chapterId, version, quality },
    metadata,
    prefix,
  }));
}
