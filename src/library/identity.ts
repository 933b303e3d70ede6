/**
 * Identifies the chapter of a CBZ by the archive comment, which survives renaming and moving the file and is at its
 * end, where one short read finds it. A ZIP has one comment, so there is no ComicBookInfo comment beside it; readers get
 * their metadata from ComicInfo.xml.
 */
import { UUID_PATTERN } from '../core/uuid.js';
import type { Quality } from '../config/quality.js';

export interface CbzIdentity {
  /** The chapter's UUID, lower case. */
  readonly chapterId: string;
  /** Its title's UUID, lower case; unknown in archives of older versions, and of chapters without metadata. */
  readonly titleId?: string | undefined;
  /** The chapter's version on the service; unknown if the CBZ was made without metadata. */
  readonly version?: number;
  readonly quality?: Quality;
}

/** The chapter that a file names. */
export interface FoundIdentity extends CbzIdentity {
  /** By tankobon's own mark, see ownership.ts. */
  readonly isMarked: boolean;
}

/** What the mark of a file names: its chapter, or those of a book, in order. */
export interface FileMark {
  readonly chapters: readonly CbzIdentity[];
  readonly isBook: boolean;
}

const COMMENT = new RegExp(
  `^tankobon chapter=(${UUID_PATTERN})(?: title=(${UUID_PATTERN}))?(?: version=([1-9]\\d{0,8}))?(?: quality=(data|data-saver))?$`,
);
const CHAPTER_ADDRESS = new RegExp(`/chapter/(${UUID_PATTERN})(?![0-9a-f-])`, 'i');

export function formatIdentityComment({
  chapterId,
  titleId,
  version,
  quality,
}: CbzIdentity): string {
  const field = (name: string, value?: string | number) => (value ? ` ${name}=${value}` : '');
  const fields =
    field('title', titleId?.toLowerCase()) + field('version', version) + field('quality', quality);
  return `tankobon chapter=${chapterId.toLowerCase()}${fields}`;
}

/** Returns undefined for a comment of another program. */
export function parseIdentityComment(comment: string): CbzIdentity | undefined {
  const [, chapterId, titleId, version, quality] = COMMENT.exec(comment) ?? [];
  if (chapterId === undefined) return undefined;
  return {
    chapterId,
    ...(titleId !== undefined && { titleId }),
    version: version === undefined ? undefined : Number(version),
    quality: quality as Quality | undefined,
  };
}

/** Reads the chapter's address in the `Web` element. */
export function parseComicInfoIdentity(xml: string): CbzIdentity | undefined {
  const web = /<Web>([^<]*)<\/Web>/.exec(xml)?.[1] ?? '';
  const chapterId = CHAPTER_ADDRESS.exec(web)?.[1]?.toLowerCase();
  return chapterId === undefined ? undefined : { chapterId };
}
