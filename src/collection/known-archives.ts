/** What `adopt` needs of an archive, from the store of what is known of files: it opens only those that are new or were changed. */
import { resolve, sep } from 'node:path';
import * as z from 'zod';
import { isOwnFile } from '../core/files.js';
import type { FileState } from '../core/file-state.js';
import { UUID_PATTERN } from '../core/uuid.js';
import type { ChapterMetadata } from '../library/comic-info.js';
import type { CbzIdentity } from '../library/mark.js';
import { recordMetadata } from '../library/record.js';
import { FolderStore } from '../library/store.js';

const text = z.string().optional();
const uuid = z.string().regex(new RegExp(`^${UUID_PATTERN}$`));

/** The fields by which a chapter is recognized. */
export const RECOGNIZED_FIELDS = {
  series: true,
  number: true,
  volume: true,
  title: true,
  language: true,
  translators: true,
} as const satisfies Partial<Record<keyof ChapterMetadata, true>>;

const recognized = recordMetadata.pick(RECOGNIZED_FIELDS) as z.ZodType<
  Pick<ChapterMetadata, keyof typeof RECOGNIZED_FIELDS>
>;

/** A chapter that tankobon knows. */
const knownChapter = z.object({
  chapterId: uuid,
  titleId: uuid.optional(),
  titleName: text,
  /** The service's code. */
  language: text,
});

const otherChapter = z.object({
  pages: z.int().positive(),
  comicInfo: recognized,
  hasComicInfo: z.boolean(),
  hasBrokenMetadata: z.boolean(),
  chapterId: uuid.optional(),
  titleId: uuid.optional(),
});

const archiveContent = z.union([z.object({ known: knownChapter }), otherChapter]);
export type ArchiveContent = z.infer<typeof archiveContent>;

/** What `adopt` made of a file. */
export interface AdoptedFile {
  /** The path of the archive. */
  readonly file: string;
  /** The chapter that it names. */
  readonly chapter: CbzIdentity;
  /** False for an archive with a comment of another program, which stays. */
  readonly isMarked: boolean;
}

type FoundMarks = Parameters<FolderStore['set']>[2]['found'];

export class KnownArchives {
  private constructor(private readonly stores: readonly (readonly [string, FolderStore])[]) {}

  /** @param roots the folders that are searched */
  static async open(stateFolder: string, roots: readonly string[]): Promise<KnownArchives> {
    const stores: [string, FolderStore][] = [];
    for (const root of new Set(roots.map((each) => resolve(each))))
      stores.push([root, await FolderStore.open(stateFolder, root)]);
    return new KnownArchives(stores);
  }

  /** `withTitle`: a chapter of tankobon is only known with the name and language of its title. */
  get(file: string, state: FileState, withTitle: boolean): ArchiveContent | undefined {
    const known = isOwnFile(file, state) ? this.#storeOf(file)?.get(file, state) : undefined;
    const { data } = archiveContent.safeParse(known?.adoptable);
    const [identity, ...others] = known?.found?.identities ?? [];
    if (data || withTitle || known?.found?.isBound || !identity || others.length > 0) return data;
    const { chapterId, titleId, proof } = identity;
    return proof === 'none' ? undefined : { known: { chapterId, titleId } };
  }

  /** `found`: what the marks in the file name; undefined if a scan is to read them. */
  set(file: string, state: FileState, adoptable: ArchiveContent, found: FoundMarks): void {
    // The store does not know whether a file of another user has the mark.
    if (isOwnFile(file, state)) this.#storeOf(file)?.set(file, state, { adoptable, found });
  }

  /** After the file got the record of tankobon. */
  setAdopted(
    { file, chapter, isMarked }: AdoptedFile,
    state: FileState,
    title: Pick<z.infer<typeof knownChapter>, 'titleName' | 'language'>,
  ): void {
    const { chapterId, titleId } = chapter;
    const marks = { identities: [{ ...chapter, proof: 'mark' as const }], isBound: false };
    const found = isMarked ? marks : undefined;
    this.set(file, state, { known: { chapterId, titleId, ...title } }, found);
  }

  /** Without it the next run is slower. */
  async save(): Promise<void> {
    for (const [, store] of this.stores) await store.save().catch(() => undefined);
  }

  #storeOf(file: string): FolderStore | undefined {
    const path = resolve(file);
    const above = this.stores.find(([root]) =>
      path.startsWith(root.endsWith(sep) ? root : root + sep),
    );
    return above?.[1];
  }
}
