/** The events of `--json`, with an example of each and its meaning: for help and documentation. */
import type { AdoptEvent } from '../collection/adopt-events.js';
import type { DownloadEvent } from '../download/events.js';
import type { CheckEvent, DoctorSummary } from './doctor/run-checks.js';
import type { TitleInfo } from '../download/title-info.js';
import type { AppEvent } from './output/observer.js';

const CHAPTER = {
  chapter: '5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01',
  series: 'Endless Stairs',
  volume: '2',
  number: '7',
  chapterTitle: 'Fog',
  group: 'Tidewater Scans + Paper Lantern',
  language: 'en',
};

/** One example of each event; the compiler checks that it has the type and that none is missing. */
export const DOWNLOAD_EVENTS: {
  readonly [Type in DownloadEvent['type']]: readonly [
    example: Omit<Extract<DownloadEvent, { type: Type }>, 'error'>,
    description: string,
  ];
} = {
  'chapter-started': [
    { type: 'chapter-started', ...CHAPTER, pages: 24, kept: 3 },
    'A chapter starts. `kept` is the number of its pages that an earlier run downloaded.',
  ],
  'page-loaded': [
    {
      type: 'page-loaded',
      ...CHAPTER,
      page: 4,
      bytes: 412345,
      ms: 310,
      host: 'node.example:443',
      cached: true,
    },
    'A page was downloaded and verified. `page` counts from 1, `ms` is the duration in milliseconds, and `cached` is whether the node had the image in its cache. `"warning":"bad-digest"`: the page does not match the digest in its name, but is kept because two hosts sent the same image.',
  ],
  'page-failed': [
    { type: 'page-failed', ...CHAPTER, page: 5, reason: 'idle-timeout', attempt: 1 },
    'An attempt to load a page failed. A page gets at most 5 attempts. See [the reasons of failed page loads](troubleshooting.md#reasons-of-failed-page-loads).',
  ],
  'chapter-saved': [
    { type: 'chapter-saved', ...CHAPTER, file: 'a.cbz', pages: 24, bytes: 9876543 },
    'The CBZ is complete and has its final name. `replacedFile` is the path of the CBZ that it replaced, if that had another name, `removedFile` is that of a chapter with its new number that MangaDex deleted, and `kept` names what you edited in their metadata.',
  ],
  'chapter-retagged': [
    {
      type: 'chapter-retagged',
      ...CHAPTER,
      file: 'a.cbz',
      changed: ['volume'],
      kept: ['title'],
      newFile: 'b.cbz',
    },
    'With `--update`: the pages did not change, but the metadata (`changed`) or the name (`newFile`, and `nameTaken` if another file has the name that it would have). `kept` names what you edited, and elements that tankobon never writes. `removedFile` is the file of a chapter that MangaDex deleted, and whose number this one got. `book` is the book that has the chapter: `newFile` is a file of its own, which binding puts into the book.',
  ],
  'chapter-skipped': [
    {
      type: 'chapter-skipped',
      reason: 'chapter-external',
      ...CHAPTER,
      externalUrl: 'https://publisher.example/endless-stairs/7',
    },
    'A chapter is skipped without an error; see the reasons below. `file` is the existing file, if there is one. With `--update`, `kept` names what you edited and MangaDex has otherwise.',
  ],
  'chapter-failed': [
    {
      type: 'chapter-failed',
      ...CHAPTER,
      reason: 'chapter-not-found',
      message: 'Chapter not found.',
    },
    'A chapter failed. The reasons are [the error codes](troubleshooting.md#errors-by-code); `message` is for people and can change. `"unfinished":true`: the run was stopped while the chapter was in progress; its pages are kept.',
  ],
  'target-failed': [
    {
      type: 'target-failed',
      target: 'naruto',
      reason: 'bad-target',
      message: 'Not a chapter, title or list: "naruto"',
    },
    'A target of the command line or of a file cannot be parsed, or a title, a list, a group, an author or a subscription is not available; `name` is that of a subscription. The `summary` counts it in `failed`.',
  ],
  waiting: [
    {
      type: 'waiting',
      for: 'quota',
      until: '2026-11-21T03:30:00.000Z',
      limit: { endpoint: 'GET /at-home/server/{id}', requests: 40, periodMs: 60_000 },
    },
    'Nothing is sent until then because of the general rate limit (`rate`), the limit of an endpoint (`quota`), which `limit` describes, or a pause requested by the service (`cooldown`). During an `outage` of the service or the network, `until` is the time of the next attempt, and `reason` is the code of the last failure: `unreachable`, `service-failed` or `bad-response`. With the reason `ledger-unreachable`, the server of the rate ledger cannot be used, and the run ends at that time. With `lock`, another process (`holder`) holds the lock of the rate ledger, and the wait fails at that time.',
  ],
  warning: [
    {
      type: 'warning',
      message: 'Cover not saved: Title not found.',
    },
    'Something that does not stop the run; `message` is for people and can change, `hint` says what to do, if anything. Also printed to standard error.',
  ],
  summary: [
    {
      type: 'summary',
      saved: 10,
      retagged: 0,
      skipped: 2,
      failed: 0,
      notStarted: 0,
      pages: 230,
      bytes: 241_000_000,
      elapsedMs: 95_000,
      reports: { sent: 230, waiting: 0 },
    },
    'The last line. `failed` counts chapters and targets. `notStarted` counts the chapters skipped as `not-started`; `skipped` does not include them. If the run was stopped early, `stopped` is the code of the error that stopped it. `pages` and `bytes` count what this run loaded.',
  ],
};

type OtherEvent =
  | Exclude<AppEvent['type'], DownloadEvent['type'] | 'page-bytes' | 'detail' | 'book-page'>
  | TitleInfo['type']
  | (CheckEvent | DoctorSummary)['type'];

/** The events of `sync`, those of `bind` and `download --bind`, and those of `info` and `doctor`. */
export const OTHER_EVENTS: Readonly<Record<OtherEvent, string>> = {
  'series-synced':
    '`sync`: a title with new chapters is done; `title` is its UUID, with its `name` and the numbers of `new`, `replaced`, `skipped`, `failed` and `waiting` chapters',
  'chapter-waiting': '`sync`: a chapter waits for its preferred group, at the latest `until` then',
  planned:
    '`sync --dry-run`: a chapter that would be downloaded, the `file` that it would be saved to, and `why`; `replaces` is the chapter whose file it would replace',
  'chapter-changed':
    '`sync`: a downloaded chapter changed on MangaDex and its file stays, since `upgrade` is not set; `changed` is `pages`, or names the metadata',
  'chapter-restored': '`sync`: MangaDex has a chapter again that was taken down; its file stayed',
  'hook-failed': '`sync`: a hook could not be called; the chapters are saved',
  'book-planned':
    'a book that will be written, with the numbers of its `chapters` and `pages`, and those that are `missing`',
  'book-saved': 'the book is complete and has its final name',
  'book-skipped': 'the book exists: `already-there`, or another program changed it: `edited`',
  'book-failed': 'the book was not written; `reason` is an error code',
  'volume-incomplete':
    'the volume is not bound yet, because chapters of it are `missing`; MangaDex does not have the `unavailable` ones',
  'chapters-unavailable':
    'the volume is bound without these chapters, which MangaDex does not have',
  'chapter-left-out':
    'the chapter is in no book: `no-volume`, `other-release` or `archive-damaged`',
  'chapter-removed':
    'a file that a book replaces is removed: of a chapter, or a book whose chapters all moved to others',
  'bind-summary':
    'the last line of `bind`: the numbers of books that were `saved`, `skipped` and `failed`, of chapters that were `leftOut`, and of `removed` chapter files',
  'title-info':
    '`info`: what a title has. `chapters`, `numbers`, `missing` (whole numbers), `volumes`, `pages` and the estimated `bytes` are of chapters that can be downloaded, and are also in each of `languages`; `groups` have their number of `releases`; `external` are chapters that only their publisher has; `takenDown` and `unpublished` count releases',
  check:
    '`doctor`: what was found, with the name of the `check`, its `status` (`ok`, `warning` or `error`), a `message`, and a `hint` if something can be done',
  'doctor-summary': 'the last line of `doctor`: the numbers of `ok`, `warnings` and `errors`',
};

export const ADOPT_EVENTS: Readonly<Record<AdoptEvent['type'], string>> = {
  'file-recognized':
    'the `chapter` that a file is, with its `title`, `confidence` (`proven` or `likely`) and `evidence`',
  'file-unrecognized':
    'the `reason` why a file is left, with the `candidates`: chapters that it may be',
  'file-adopted': 'the file has the record of tankobon; `newFile` is the CBZ of a folder of images',
  'file-restored': 'the file is as it was before it was adopted',
  'file-failed': 'the file cannot be read or written and stays as it is; `reason` is an error code',
  'adopt-summary':
    'the last line: the numbers of files that were `recognized`, `unrecognized`, `adopted`, `restored`, `failed`, or known `already`, of `imageFolders` that were left out, and of `links` that were skipped',
};
