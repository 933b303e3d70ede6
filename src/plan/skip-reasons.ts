/** Why a chapter is skipped without an error: one row for each reason, and what decides it uses its name. */
interface SkipReasonRow {
  /** Continues `skipped: Ch. 7:`. */
  readonly meaning: string;
  /** Whether each chapter is named: a person may look for it elsewhere, or may miss it. Others are counted. */
  readonly isNamed: boolean;
  /** Whether a sync reports it, once; otherwise it is the usual state of a chapter. */
  readonly isNews: boolean;
}

const counted = (meaning: string) => ({ meaning, isNamed: false, isNews: false }) as const;

const ROWS = {
  'already-there': counted('already downloaded'),
  'chapter-external': {
    meaning: 'hosted on another site; MangaDex has no pages of it',
    isNamed: true,
    isNews: true,
  },
  'chapter-unavailable': { meaning: 'taken down, or without pages', isNamed: true, isNews: true },
  'chapter-unpublished': counted('not published yet'),
  'newer-version': counted('changed on MangaDex since it was downloaded; --update gets the change'),
  'fixed-book': {
    meaning:
      'changed on MangaDex; a PDF or a folder cannot be changed: remove the book to download its chapters again',
    isNamed: false,
    isNews: true,
  },
  'uploaded-again': {
    meaning:
      'uploaded again; the older upload is kept, unless --update, or upgrade in a sync, replaces it',
    isNamed: false,
    isNews: true,
  },
  'other-release-saved': {
    meaning: 'another release of the chapter is saved; --all-releases gets this one too',
    isNamed: true,
    isNews: true,
  },
  'in-download-archive': counted('downloaded before, according to the download archive'),
  'shared-done': counted('saved by another machine with the same --share'),
  'not-started': counted('not started: the run was stopped'),
} as const satisfies Readonly<Record<string, SkipReasonRow>>;

export type SkipReason = keyof typeof ROWS;

/** The meanings, by the reasons. */
export const SKIP_REASONS = Object.fromEntries(
  Object.entries(ROWS).map(([reason, { meaning }]) => [reason, meaning]),
) as { readonly [Reason in SkipReason]: (typeof ROWS)[Reason]['meaning'] };

export function isNamedSkip(reason: SkipReason): boolean {
  return ROWS[reason].isNamed;
}

export function isNewsSkip(reason: SkipReason): boolean {
  return ROWS[reason].isNews;
}
