/**
 * Whether a saved chapter is still as the service has it. `version` counts its edits (spec 2.6), so it only says that
 * something may have changed: the sha256 in the names of the pages say whether the pages did. Where they did not, the file
 * gets other metadata, or another name. Pure.
 */
import { resolve } from 'node:path';
import type { Chapter } from '../service/chapters.js';
import { pageFileNames, type AtHomeMetadata, digestInFileName } from '../service/at-home.js';
import { QUALITIES } from '../config/quality.js';
import type { Retag, SavedChapter, UpToDate } from './change.js';

/** What a file says of the version that was saved. */
export interface SavedRevision extends Omit<SavedChapter, 'quality' | 'pages'> {
  readonly pages?: { readonly length: number } | undefined;
}

/**
 * The pages are only compared if this is true: each comparison is a request with a quota of its own. False if the file
 * is newer than what is known of the service, such as the stored releases of a followed title.
 */
export function mayHaveChanged(saved: SavedRevision, listed: Partial<Chapter>): boolean {
  if ((listed.version ?? Infinity) < (saved.version ?? 0)) return false;
  const differs = (a: number | undefined, b: number | undefined) =>
    a !== undefined && b !== undefined && a !== b;
  return (
    differs(saved.version, listed.version) ||
    differs(saved.updatedAt?.getTime(), listed.updatedAt?.getTime()) ||
    differs(saved.pages?.length, listed.pages)
  );
}

/**
 * Whether the service moved a chapter to the title `titleId` from the one that its file names. Where that was merged into
 * another one, nothing was moved. `answeredId`: the id of the title with which the service answers a request for one.
 */
export function isMovedTo(
  titleId: string,
  namedId: string | undefined,
  answeredId: (id: string) => string | undefined,
): boolean {
  return namedId !== undefined && namedId !== titleId && answeredId(namedId) === namedId;
}

/**
 * Compares the digests in the names of the file's quality, and only the number of pages where names have none. True if
 * the pages of the file are not known. Pages of the file that are compressed count as the same with `acceptsLost`.
 */
export function hasSamePages(
  { pages, quality, dataSaverPages = [] }: SavedChapter,
  metadata: AtHomeMetadata,
  acceptsLost = false,
): boolean {
  if (pages === undefined) return true;
  const compressed = acceptsLost ? pageFileNames(metadata, 'data-saver') : [];
  return (quality ? [quality] : QUALITIES).some((each) => {
    const names = pageFileNames(metadata, each);
    if (names.length !== pages.length) return false;
    return names.every((name, index) => {
      const isCompressed = dataSaverPages.includes(index + 1);
      const inPlace = isCompressed ? compressed[index] : undefined;
      const digest = digestInFileName(inPlace ?? name);
      return digest === undefined || digest === pages[index];
    });
  });
}

/** A file with the metadata that the service has, and the name that follows from these. */
export interface ComparedFile extends Pick<
  Retag,
  | 'file'
  | 'chapter'
  | 'title'
  | 'removes'
  | 'state'
  | 'metadata'
  | 'force'
  | 'to'
  | 'root'
  | 'recorded'
  | 'maxNameBytes'
> {
  /** What the metadata of the service change in the file; undefined for one without metadata. */
  readonly merged: Pick<Retag, 'changed' | 'edited' | 'unknown'> | undefined;
  /** What the file says of its chapter; undefined in one of an older tankobon, whose mark has the version alone. */
  readonly record: SavedRevision | undefined;
  readonly version: number | undefined;
  readonly isMoved: boolean;
  /** The pages were compared with those of the service: the file gets the chapter's version and time. */
  readonly hasComparedPages: boolean;
}

/** A file without metadata gets none. */
export function decideRetag(compared: ComparedFile): Retag | UpToDate {
  const { merged, record, version, isMoved, hasComparedPages, ...onDisk } = compared;
  const { file, chapter, title, removes, to } = onDisk;
  const { changed, edited, unknown } = merged ?? { changed: [], edited: [], unknown: [] };
  const now = hasComparedPages ? chapter : withOldTime(chapter, record);
  const revision = now && !isSameRevision(now, record) ? now : undefined;
  const mayHaveOtherPages = !hasComparedPages && mayHaveChanged(record ?? { version }, chapter);
  const from = resolve(file);
  const isUnchanged = changed.length === 0 && to === from && removes.length === 0;
  if (isUnchanged && !revision && !isMoved) {
    const kept = { edited, unknown, title, mayHaveOtherPages };
    return { kind: 'keep', file, chapterId: chapter.id, why: 'up-to-date', ...kept };
  }
  const newTitleId = isMoved ? title.id : undefined;
  const change = { changed, edited, unknown, mayHaveOtherPages, revision, newTitleId };
  return { kind: 'retag', ...onDisk, from, ...change };
}

/** The time stays where pages were not compared: from its difference, `--update` knows that it has to compare them. */
function withOldTime(chapter: Chapter, { version = 0, updatedAt }: SavedRevision = {}) {
  const isLater = (chapter.updatedAt?.getTime() ?? 0) > (updatedAt?.getTime() ?? Infinity);
  return isLater && chapter.version > version ? { ...chapter, updatedAt } : undefined;
}

function isSameRevision({ version, updatedAt }: Chapter, record?: SavedRevision): boolean {
  return record?.version === version && record.updatedAt?.getTime() === updatedAt?.getTime();
}

/** What is reported of a file that stays as it is: nothing, unless the service has other metadata than its owner. */
export function keptInUnchanged({ edited, unknown }: Pick<Retag, 'edited' | 'unknown'>) {
  return edited.length > 0 ? [...edited, ...unknown] : [];
}
