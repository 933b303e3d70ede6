/** The closed sets of reasons that events give, each with its meaning. */
import { vocabulary, type Vocabulary } from './fields.js';

/** Why a chapter is skipped without an error: one row for each reason, and what decides it uses its name. */
interface SkipReasonRow {
  /** Continues `skipped: Ch. 7:`. */
  readonly meaning: string;
  /** Whether each chapter is named: a person may look for it elsewhere, or may miss it. Others are counted. */
  readonly isNamed: boolean;
  /** Whether a sync reports it, once; otherwise it is the usual state of a chapter. */
  readonly isNews: boolean;
}

const usual = (meaning: string): SkipReasonRow => ({ meaning, isNamed: false, isNews: false });
const news = (meaning: string): SkipReasonRow => ({ meaning, isNamed: false, isNews: true });
const namedNews = (meaning: string): SkipReasonRow => ({ meaning, isNamed: true, isNews: true });

const SKIP_ROWS = {
  'already-there': usual('already downloaded'),
  'chapter-external': namedNews('hosted on another site; MangaDex has no pages of it'),
  'chapter-unavailable': namedNews('taken down, or without pages'),
  'chapter-unpublished': usual('not published yet'),
  'newer-version': usual('changed on MangaDex since it was downloaded; --update gets the change'),
  'fixed-book': news(
    'changed on MangaDex; a PDF or a folder cannot be changed: remove the book to download its chapters again',
  ),
  'uploaded-again': news(
    'uploaded again; --update, or upgrade in a sync, replaces the older upload',
  ),
  'older-upload-kept': news(
    'uploaded again; the file of the older upload stays, since it is a link, or of another program or user',
  ),
  'other-release-saved': namedNews(
    'another release of the chapter is chosen; download --all-releases gets this one too',
  ),
  'in-download-archive': usual('downloaded before, according to the download archive'),
  'shared-done': usual('saved by another machine with the same --share'),
  'not-started': usual('not started: the run was stopped'),
};

export type SkipReason = keyof typeof SKIP_ROWS;

/** The meanings, by the reasons. */
export const SKIP_REASONS = Object.fromEntries(
  Object.entries(SKIP_ROWS).map(([reason, { meaning }]) => [reason, meaning]),
) as Vocabulary<SkipReason>;

/** `savedLanguage`: the language that is saved, if it is another one. */
export function skipReasonText({
  reason,
  savedLanguage,
}: {
  readonly reason: SkipReason;
  readonly savedLanguage?: string | undefined;
}): string {
  return savedLanguage === undefined
    ? SKIP_REASONS[reason]
    : `saved in ${savedLanguage} already; download --all-releases gets this language too`;
}

export function isNamedSkip(reason: SkipReason): boolean {
  return SKIP_ROWS[reason].isNamed;
}

export function isNewsSkip(reason: SkipReason): boolean {
  return SKIP_ROWS[reason].isNews;
}

const UNAVAILABLE = ['chapter-external', 'chapter-unavailable', 'chapter-unpublished'] as const;

/** Whether the service does not have the pages. */
export function isUnavailable(reason: string): reason is (typeof UNAVAILABLE)[number] {
  return UNAVAILABLE.some((each) => each === reason);
}

/** The reasons of a failed load. It is reported, and the page is loaded again from a new base URL. */
export const LOAD_REASONS = vocabulary({
  'connect-failed': 'The connection to the image host failed.',
  'bad-certificate': 'The certificate of the image host is invalid.',
  'connection-broken': 'The image host closed the connection.',
  'connect-timeout': 'The connection took longer than the setting connectTimeoutMs.',
  'tls-timeout': 'The TLS handshake took longer than the setting tlsTimeoutMs.',
  'first-byte-timeout': 'The response took longer than the setting firstByteTimeoutMs.',
  'idle-timeout': 'The transfer stalled for longer than the setting idleTimeoutMs.',
  'page-timeout': 'The page took longer in total than the setting pageTimeoutMs.',
  'base-url-expired': 'The image host responded with 403 or 410: the base URL has expired.',
  'bad-status': 'The image host responded with another status than 200.',
  redirected: 'The image host redirected; pages are loaded from their base URL only.',
  'bad-length': 'The image is empty, incomplete, or not as long as announced.',
  'too-large': 'The page is larger than the setting maxPageBytes.',
  'not-an-image': 'The response is not a JPEG, PNG, GIF, WebP or AVIF image.',
  'bad-digest': 'The image does not match the SHA-256 in its name.',
  'bad-page-url': 'The base URL is invalid, or its host is not allowed.',
});
export type LoadReason = keyof typeof LOAD_REASONS;

/** What a run waits for. */
export const WAIT_REASONS = vocabulary({
  rate: 'the general rate limit',
  quota: 'the limit of an endpoint',
  cooldown: 'a pause that the service asked for',
  outage: 'the service or the network does not work; `until` is the time of the next attempt',
  lock: 'another process holds the lock of the rate ledger; the wait fails at `until`',
});

const OTHER_ARCHIVE_REASON = 'a RAR, 7z or tar archive, which tankobon does not read';

/** Why a chapter is in no book. */
export const LEFT_OUT_REASONS = vocabulary({
  'no-volume': 'no volume (a book of the whole title has all chapters)',
  'other-release': 'another release of the same chapter is in the book',
  'archive-damaged': 'the archive cannot be read',
  'other-archive': OTHER_ARCHIVE_REASON,
});
export type LeftOutReason = keyof typeof LEFT_OUT_REASONS;

/** Why a release is not downloaded: it is not what was requested, or MangaDex does not have its pages. */
export const EXCLUSION_REASONS = vocabulary({
  'not-in-languages': 'not in a language that --language names',
  'not-in-chapters': 'not one of --chapters',
  'not-in-volumes': 'not in one of --volumes',
  'excluded-group': 'by a group that --exclude-group names',
  'before-since': 'older than --since',
  'after-until': 'newer than --until',
  'chapter-external': "only on the publisher's site",
  'chapter-unavailable': 'taken down, or without pages',
  'chapter-unpublished': 'not published yet',
  'other-release': 'another release of the chapter is downloaded',
  'not-latest': 'not one of the chapters that --latest counts',
});
export type ExclusionReason = keyof typeof EXCLUSION_REASONS;

/** What speaks for a chapter, in the order in which it is printed. */
export const EVIDENCE = vocabulary({
  address: 'its address in ComicInfo.xml',
  id: 'its id in the name',
  pages: 'the SHA-256 of its pages',
  title: 'title',
  number: 'number',
  'page-count': 'number of pages',
  name: 'title of the chapter',
  volume: 'volume',
  language: 'language',
  group: 'group',
  'path-digest': 'digest of its address in the name',
  choice: 'your choice',
});
export type Evidence = keyof typeof EVIDENCE;

/** Why a file is not taken for a chapter. */
export const UNRECOGNIZED_REASONS = vocabulary({
  'no-title': 'MangaDex has no title of this name',
  'not-listed': 'MangaDex does not list the chapter that it names',
  'no-number': 'its name has no number of a chapter',
  'unclear-number': 'which number in its name is that of the chapter is not certain',
  'several-in-file': 'it has several chapters, or a volume',
  'no-chapter': 'the title has no such chapter',
  'other-language': 'the chapter is there in other languages only',
  'other-group': 'the chapter is there by other groups only',
  'other-page-count': 'the chapter has another number of pages',
  'several-chapters': 'several chapters fit',
  'no-images': 'it has no images',
  'other-archive': OTHER_ARCHIVE_REASON,
});
export type UnrecognizedReason = keyof typeof UNRECOGNIZED_REASONS;

/** Why a file is damaged. */
export const DAMAGE_REASONS = vocabulary({
  unreadable: 'the file cannot be opened, or its end is lost',
  'entry-damaged': 'an entry cannot be read or has a wrong checksum',
  'page-incomplete': 'an image is incomplete, empty, or the text of an error',
  'page-changed': 'a page in a folder is not the one that was saved',
  'page-missing': 'it has no images, or lacks some that are announced',
});
export type DamageReason = keyof typeof DAMAGE_REASONS;

/** Why a chapter is missing. */
export const MISSING_REASONS = vocabulary({
  'not-downloaded': 'can be downloaded',
  removed: 'you removed it',
  'left-out': 'left out by your subscription',
  'other-language': 'only in other languages',
  external: "only on the publisher's site",
  unavailable: 'taken down, or without pages',
  'not-uploaded': 'in no language',
});
export type MissingReason = keyof typeof MISSING_REASONS;

/** The checks of `doctor` in their order, with what each is about; those of `--online` are last. */
export const CHECKS = vocabulary({
  version: 'the versions of tankobon and Node.js, and the platform',
  settings: 'the settings file, the variables, and the addresses of the service',
  'state-folder': "the folder of tankobon's own files, and who can write to it",
  'state-space': 'free space in that folder',
  locks: 'locks between processes: those of the operating system, or their replacement',
  ledger: 'the rate ledger: its folder or server, and any cooldown',
  reports: 'health reports: how many wait, and whether the report host was up at last',
  subscriptions: 'the subscriptions file',
  keychain: 'whether a login can be stored in the keychain of the operating system',
  login: 'the stored login; not sent',
  hook: 'a hook of that file: its key, or its program; not called',
  'output-folder':
    'an output folder, whether it can be written to, and whether its disk may not be mounted',
  'output-space': 'free space in that folder',
  'file-system': 'what the file system of that folder can do',
  'replaced-files': 'files in it that were replaced and are kept for a while',
  api: '`--online`: whether the API answers, and agrees about the time',
  'token-endpoint':
    '`--online`: whether the authentication service renews the login; without a login it is not contacted',
  'report-host':
    '`--online`: whether the report host takes the reports that wait; without any it is not contacted',
});
export type CheckName = keyof typeof CHECKS;

/** Why a subscription does not keep the chapter of a file. */
export const RETIRE_REASONS = vocabulary({
  'not-latest': 'as many later chapters as `keep-latest` says are there',
  read: 'the account has marked the chapter as read',
});

export type RetireReason = keyof typeof RETIRE_REASONS;
