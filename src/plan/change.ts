/** What becomes of a release and of the files of its chapter. A plan is a list of these; nothing is passed beside them. */
import type { Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import type { ComicMetadata } from '../library/comic-info.js';
import type { FileState } from '../core/file-state.js';
import { isSameUuid } from '../core/uuid.js';
import type { RecordedName } from '../config/name-template.js';
import type { ChapterRecord } from '../library/record.js';
import type { FoundChapter } from '../library/file.js';
import type { KeepOptions } from '../library/replaced-files.js';
import type { RetireReason, SkipReason } from '../events/reasons.js';

/** A release that was selected. */
export interface Release {
  readonly id: string;
  /** Undefined without metadata. */
  readonly chapter: Chapter | undefined;
  /** Why it was selected, for people. */
  readonly why: string;
}

/** A file whose chapter makes way for a release, which may be of the same id. */
export interface OldFile {
  readonly file: string;
  readonly chapterId: string;
}

/** What a file says of its chapter; what is undefined is not known. */
export type SavedChapter = Pick<
  ChapterRecord,
  'version' | 'updatedAt' | 'quality' | 'pages' | 'dataSaverPages' | 'acceptedPages'
>;

/** Whether the file is tankobon's own and of the chapter alone: only such a file may be replaced by a chapter, or removed. */
export function isOwnChapter({ isBound, ownership }: FoundChapter): boolean {
  return !isBound && ownership === 'own';
}

/** A file of the chapter, with what it says of that. */
export interface KnownFile extends OldFile {
  readonly saved: SavedChapter;
}

/** The release gets a file of its own. */
export interface Save {
  readonly kind: 'save';
  readonly release: Release;
  readonly path: string;
  readonly recorded: RecordedName;
  /** A saved release that it takes the place of, and whose file stays, since that is a book or not tankobon's own. */
  readonly betterThan: BetterThan | undefined;
}

interface BetterThan extends Pick<OldFile, 'chapterId'> {
  readonly file: string | undefined;
  readonly why: 'uploaded-again' | 'better-release';
}

/**
 * Why a file is not what the service has of its release by now. `changed`: the service changed the chapter. `moved`: it
 * moved that from the title that the file names. `lost-pages`: pages of the file are compressed, since no node had them as
 * they are, and are tried again; a chapter in a book stays as it is without them.
 */
export type OutdatedReason = 'changed' | 'moved' | 'lost-pages';

/**
 * `forced`: the file has the release itself, and is written anew. `damaged`: the same, but its end is lost; it stays under
 * a second name. `uploaded-again`, `better-release`: it has another release of the chapter.
 */
export type ReplaceReason =
  'forced' | OutdatedReason | 'damaged' | 'uploaded-again' | 'better-release';

/** A file makes way for the release as its own is published. */
export interface Replace {
  readonly kind: 'replace';
  readonly release: Release;
  readonly file: KnownFile;
  readonly path: string;
  readonly recorded: RecordedName;
  /** The name of the series in the old file, which stays; undefined if that is not renamed with its metadata. */
  readonly series: string | undefined;
  readonly why: ReplaceReason;
  /** Files of deleted chapters whose number the release has by now. */
  readonly removes: readonly OldFile[];
}

/** A chapter in a book changed: it gets a file of its own, with the pages of the book if the service has the same. */
export interface Extract {
  readonly kind: 'extract';
  readonly release: Release;
  readonly book: KnownFile;
  readonly path: string;
  readonly recorded: RecordedName;
  readonly series: string | undefined;
  /** At most one, whose name the file gets. */
  readonly removes: readonly OldFile[];
  readonly why: OutdatedReason;
}

/** A file keeps its pages, and gets other metadata or another name. */
export interface Retag {
  readonly kind: 'retag';
  readonly file: string;
  readonly chapter: Chapter;
  readonly title: Title;
  /** The file, as an absolute path. */
  readonly from: string;
  /** Its new path, absolute; `from` if the name stays. */
  readonly to: string;
  /** The longest name that the folder takes. */
  readonly maxNameBytes: number;
  /** The folder that contains the path by the template. */
  readonly root: string;
  /** What the record says of the name; undefined if that stays. */
  readonly recorded: RecordedName | undefined;
  readonly metadata: Omit<ComicMetadata, 'pages'>;
  /** The names of the metadata that changes, such as `volume`, and of unknown elements that are removed. */
  readonly changed: readonly string[];
  /** The metadata that stays because its owner edited it, and that the service has otherwise. */
  readonly edited: readonly string[];
  /** The elements that stay because tankobon never writes them. */
  readonly unknown: readonly string[];
  readonly state: FileState;
  /** Edits of the owner are replaced by what the service has. */
  readonly force: boolean;
  /** The chapter whose version and time the file gets, if it has others. */
  readonly revision: Chapter | undefined;
  /** The title that the file names from now on, if the service moved the chapter to another one. */
  readonly newTitleId: string | undefined;
  readonly mayHaveOtherPages: boolean;
  /** Files of deleted chapters whose number the chapter has by now, and how they are kept. */
  readonly removes: readonly (OldFile & { readonly keep: KeepOptions })[];
}

/** The release waits for one of a preferred group. */
export interface Wait {
  readonly kind: 'wait';
  readonly release: Release;
  readonly untilMs: number;
}

export interface Skip {
  readonly kind: 'skip';
  readonly id: string;
  readonly chapter: Chapter | undefined;
  readonly reason: SkipReason;
  /** The file that has the chapter, in this release or another one. */
  readonly file: string | undefined;
  /** The release that is there, or will be, in its place. */
  readonly instead: Chapter | undefined;
  /** The language in which the chapter is saved, where that is another one. */
  readonly savedLanguage: string | undefined;
}

/** `skipped`: the chapter, or what is known of it. */
export function skip(
  skipped: Chapter | { readonly id: string; readonly chapter: Chapter | undefined },
  reason: SkipReason,
  {
    file,
    instead,
  }: { readonly file?: string | undefined; readonly instead?: Chapter | undefined } = {},
): Skip {
  const chapter = 'language' in skipped ? skipped : skipped.chapter;
  const isOther = reason === 'other-release-saved' && chapter?.language !== instead?.language;
  const savedLanguage = isOther ? instead?.language : undefined;
  return { kind: 'skip', id: skipped.id, chapter, reason, file, instead, savedLanguage };
}

interface KeptFile extends OldFile {
  readonly kind: 'keep';
  readonly why: Exclude<FoundChapter['ownership'], 'own'>;
}

/**
 * A file that stays: it would be replaced or rewritten if it were tankobon's own, or cannot be read and has the name of a
 * new one.
 */
export type Keep =
  | KeptFile
  | {
      readonly kind: 'keep';
      readonly file: string;
      readonly why: 'unreadable';
      readonly readError: string;
      readonly cause: unknown;
      /** The path that the chapter gets instead. */
      readonly path: string;
    };

/** A file whose metadata are those of the service, or edited by its owner. */
export interface UpToDate extends OldFile {
  readonly kind: 'keep';
  readonly why: 'up-to-date';
  /** What the owner edited. */
  readonly edited: readonly string[];
  /** Elements that tankobon never writes. */
  readonly unknown: readonly string[];
  readonly mayHaveOtherPages: boolean;
  /** Has the name that is in the file. */
  readonly title: Title;
}

/** A file whose chapter, or the title of that, the service does not list. */
export interface Unlisted extends OldFile {
  readonly kind: 'keep';
  readonly why: 'not-listed';
}

/** The file of a chapter that the owner of a subscription does not keep any more is moved away. */
export interface Retire extends OldFile {
  readonly kind: 'retire';
  readonly chapter: Chapter;
  readonly why: RetireReason;
}

/** A change that writes a file of its release. */
export type Write = Save | Replace | Extract;

export type Change = Write | Retag | Retire | Wait | Skip | Keep | UpToDate | Unlisted;

/** What is decided before files are named. */
export type UnnamedWrite = Unnamed<Save> | Unnamed<Replace> | Unnamed<Extract>;
type Unnamed<T> = Omit<T, 'path' | 'recorded' | 'series'>;

export type Decision = UnnamedWrite | Wait | Skip | Keep;

/** A file of one chapter whose metadata and name are to be compared with what the service has of that. */
export interface UnreadRetag extends Pick<Retag, 'kind' | 'chapter' | 'title'> {
  readonly archive: FoundChapter;
  /** The service moved the chapter from the title that the file names. */
  readonly isMoved: boolean;
}

/** What becomes of a file whose pages stay. */
export type FileDecision = UnreadRetag | Skip | KeptFile | Unlisted;

export function isWrite<T extends Change | Decision>(
  change: T,
): change is T & { readonly kind: Write['kind'] } {
  return change.kind === 'save' || change.kind === 'replace' || change.kind === 'extract';
}

/** The file that makes way as the one of the release is published. */
export function replacedFile(change: UnnamedWrite): OldFile | undefined {
  if (change.kind === 'replace') return change.file;
  return change.kind === 'extract' ? change.removes[0] : undefined;
}

/** The file whose pages are compared with those of the service first: if they are the same, they are not loaded. */
export function comparedFile(change: UnnamedWrite): KnownFile | undefined {
  if (change.kind === 'extract') return change.book;
  return isChanged(change) ? change.file : undefined;
}

/** Whether the file has the release itself, as it was before the service changed it. */
export function isChanged(
  change: UnnamedWrite,
): change is UnnamedWrite & { readonly kind: 'replace' } {
  return change.kind === 'replace' && change.why in OUTDATED;
}

/** The ids of the other chapters whose files make way for the release. */
export function replacedChapters(change: UnnamedWrite): readonly string[] {
  const { id } = change.release;
  const removed = change.kind === 'save' ? [] : change.removes;
  const files = change.kind === 'replace' ? [change.file, ...removed] : removed;
  return files.flatMap(({ chapterId }) => (isSameUuid(chapterId, id) ? [] : [chapterId]));
}

/** The id of the other release that this one takes the place of, although the file of that may stay. */
export function replacedRelease(change: UnnamedWrite): string | undefined {
  if (change.kind === 'save') return change.betterThan?.chapterId;
  return change.kind === 'replace' ? replacedChapters({ ...change, removes: [] })[0] : undefined;
}

const OUTDATED: Readonly<Record<OutdatedReason, string>> = {
  changed: 'its pages changed on MangaDex',
  moved: 'its pages changed on MangaDex',
  'lost-pages': 'its compressed pages are tried again in full quality',
};

/** Why a chapter is loaded, and what becomes of the file that has it, for people. */
export function whyLoaded(change: Write): string {
  const { why } = change.release;
  if (change.kind === 'save') return whyBetter(change.betterThan, why);
  if (change.kind === 'extract')
    return `${OUTDATED[change.why]}; binding puts it into the book in place of the old one: ${change.book.file}`;
  const { file } = change.file;
  switch (change.why) {
    case 'damaged':
      return `its file is damaged, and is kept beside the new one: ${file}`;
    case 'changed':
    case 'moved':
    case 'lost-pages':
      return `${OUTDATED[change.why]}; it replaces ${[file, ...change.removes.map((each) => each.file)].join(' and ')}`;
    case 'uploaded-again':
    case 'better-release':
      return whyBetter({ file, why: change.why }, why);
    case 'forced':
      return why;
  }
}

function whyBetter(old: Pick<BetterThan, 'file' | 'why'> | undefined, why: string): string {
  const now = old?.why === 'uploaded-again' ? 'uploaded again' : why;
  return old?.file === undefined ? now : `${now}; it replaces ${old.file}`;
}
