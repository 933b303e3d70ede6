/** What the plan of books needs of a file, from the store of what is known of files: `bind` opens only others. */
import { resolve } from 'node:path';
import * as z from 'zod';
import { readFileState } from '../core/file-state.js';
import { recordMetadata } from '../library/record.js';
import type { FolderStore } from '../library/store.js';
import { isOwnFile } from '../core/files.js';
import { UUID_PATTERN } from '../core/uuid.js';
import { QUALITIES } from '../config/quality.js';
import { readMarkedChapters } from './read-chapters.js';
import {
  PLANNED_FIELDS,
  sourceKey,
  type PlannedField,
  type BookChapter,
} from './source-chapter.js';

const text = z.string().optional();
const uuid = z.string().regex(new RegExp(`^${UUID_PATTERN}$`));

const plannedChapter = z.object({
  isBound: z.boolean(),
  ownership: z.enum(['own', 'lost-mark', 'foreign']),
  chapterId: uuid.optional(),
  titleId: uuid.optional(),
  version: z.int().positive().optional(),
  quality: z.enum(QUALITIES).optional(),
  record: z
    .object({
      titleId: text,
      folderTemplate: text,
      inferredVolume: text,
      // Earlier versions did not keep it: what they kept is read again.
      dataSaverPages: z.array(z.int()).transform((pages) => (pages.length > 0 ? pages : undefined)),
    })
    .optional(),
  metadata: recordMetadata.pick(PLANNED_FIELDS),
  volumeCount: z.int().optional(),
  isBookEdited: z.boolean().optional(),
  pages: z.int().positive(),
  key: text,
});

const plannedChapters = z.array(plannedChapter);

/** The chapters in the file, without copies. Throws StorageError as readChapters does. */
export async function knownChapters(
  file: string,
  store: FolderStore,
): Promise<readonly BookChapter[]> {
  const state = await readFileState(file).catch(() => undefined);
  const path = resolve(file);
  const known = state && store.get(path, state)?.planned;
  const found = known === undefined ? undefined : plannedChapters.safeParse(known).data;
  if (state && found) {
    const isOwn = isOwnFile(file, state);
    return found.map(({ ownership, pages, ...chapter }) => ({
      ...chapter,
      file,
      state,
      ownership: isOwn ? ownership : 'other-user',
      pages: { length: pages },
    }));
  }
  const { chapters, found: marks } = await readMarkedChapters(file);
  const own = chapters.filter(({ copy }) => !copy);
  // The store does not know whether a file of another user has the mark.
  if (state && isOwnFile(file, state)) {
    // The store forgets the earlier version of the file, and a repair needs what it names.
    store.set(path, state, { planned: own.map(toPlanned), found: marks });
  }
  return own;
}

/** JSON turns it into a `plannedChapter`. */
function toPlanned(chapter: BookChapter): object {
  const { isBound, ownership, record, metadata, volumeCount, isBookEdited, pages } = chapter;
  const { chapterId, titleId: marked, version, quality } = chapter;
  const { titleId, folderTemplate, inferredVolume, dataSaverPages = [] } = record ?? {};
  return {
    isBound,
    ownership,
    chapterId,
    titleId: marked,
    version,
    quality,
    record: record && { titleId, folderTemplate, inferredVolume, dataSaverPages },
    metadata: Object.fromEntries(
      Object.keys(PLANNED_FIELDS).map((name) => [name, metadata[name as PlannedField]]),
    ),
    volumeCount,
    isBookEdited,
    pages: pages.length,
    key: chapterId === undefined ? sourceKey(chapter) : undefined,
  };
}
