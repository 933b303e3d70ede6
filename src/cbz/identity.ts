/**
 * Which chapter a CBZ holds, written into the archive's comment: it stays with the file however the file is
 * renamed or moved, and it stands at the very end, where one short read finds it.
 */

export interface CbzIdentity {
  /** The chapter's UUID, in small letters. */
  readonly chapterId: string;
  /** Counts the chapter's re-uploads; unknown where the CBZ was made without metadata. */
  readonly version?: number;
  /** Whether the pages are the originals or the compressed ones. */
  readonly quality?: 'data' | 'data-saver';
}

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const COMMENT = new RegExp(
  `^tankobon chapter=(${UUID})(?: version=([1-9]\\d{0,8}))?(?: quality=(data|data-saver))?$`,
);
const CHAPTER_ADDRESS = new RegExp(`/chapter/(${UUID})(?![0-9a-f-])`, 'i');

/** The archive comment that says so. */
export function formatIdentityComment(identity: CbzIdentity): string {
  const { chapterId, version, quality } = identity;
  return [
    `tankobon chapter=${chapterId.toLowerCase()}`,
    ...(version === undefined ? [] : [`version=${version}`]),
    ...(quality === undefined ? [] : [`quality=${quality}`]),
  ].join(' ');
}

/** What an archive comment says; undefined where it is no comment of ours. */
export function parseIdentityComment(comment: string): CbzIdentity | undefined {
  const [, chapterId, version, quality] = COMMENT.exec(comment) ?? [];
  if (chapterId === undefined) return undefined;
  return {
    chapterId,
    ...(version !== undefined && { version: Number(version) }),
    ...((quality === 'data' || quality === 'data-saver') && { quality }),
  };
}

/** The chapter that a ComicInfo.xml names in its `Web`; undefined where it names none. */
export function parseComicInfoIdentity(xml: string): CbzIdentity | undefined {
  const web = /<Web>([^<]*)<\/Web>/.exec(xml)?.[1] ?? '';
  const chapterId = CHAPTER_ADDRESS.exec(web)?.[1]?.toLowerCase();
  return chapterId === undefined ? undefined : { chapterId };
}
