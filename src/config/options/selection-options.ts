/** Options that choose chapters and their releases. */
import type { OptionDefinition } from '../option-definition.js';

const PREFERRED_GROUPS = 'preferred groups in order, separated by commas';

export const SELECTION_OPTIONS = {
  fromFile: {
    kind: 'texts',
    description: 'read targets from this file, one or more per line; -: standard input; repeatable',
    placeholder: 'file',
    commands: { download: true },
  },
  language: {
    kind: 'languages',
    description: 'languages in order of preference, such as en,pt-br; all: every language',
    default: '',
    example: 'en',
    short: 'l',
    placeholder: 'codes',
    isSetting: true,
    isKey: 'languages in order of preference, or `all`',
    library: 'languages',
    ignoresSetting: ['info', 'overview'],
    commands: {
      download: true,
      'sync add': true,
      'sync import': true,
      search: true,
      info: 'only chapters in these languages, such as en,pt-br',
      adopt: 'languages of chapters whose files name none, such as en,pt-br; all: any',
      overview: 'the languages that count, such as en,pt-br; default: those of the files',
    },
  },
  chapters: {
    kind: 'ranges',
    description: 'only these chapters, such as 1-10,12.5,20-',
    isKey: 'such as `1-10,12.5,20-`',
    library: true,
    commands: { search: true, info: true, download: true, 'sync add': true, 'sync import': true },
  },
  volumes: {
    kind: 'ranges',
    description: 'only these volumes, such as 1-3,none',
    isKey: 'such as `1-3,none`',
    library: true,
    commands: { info: true, download: true, 'sync add': true, 'sync import': true },
  },
  group: {
    kind: 'groups',
    description: 'preferred scanlation groups in order, separated by commas; empty: any',
    default: '',
    example: '"Preferred Scans"',
    placeholder: 'names',
    isSetting: true,
    isKey: 'preferred groups in order, by name, id or address',
    library: 'groups',
    commands: {
      download: PREFERRED_GROUPS,
      'sync add': PREFERRED_GROUPS,
      'sync import': PREFERRED_GROUPS,
      bind: PREFERRED_GROUPS,
    },
  },
  waitForGroup: {
    kind: 'duration',
    description: 'how long to wait for the first group, such as 2d',
    example: '2d',
    isKey:
      'how long to wait for the first group after the first release of a chapter, such as `12h`, `2d`',
    commands: { 'sync add': true, 'sync import': true },
  },
  upgrade: {
    kind: 'switch',
    description: 'replace saved releases by more preferred ones',
    isKey:
      '`true`: a release of a more preferred group or language, or a new upload, replaces the saved one, and saved chapters follow their changes',
    commands: { 'sync add': true, 'sync import': true },
  },
  excludeGroup: {
    kind: 'groups',
    description: 'groups to exclude, separated by commas',
    default: '',
    example: '"Unwanted Scans"',
    placeholder: 'names',
    isSetting: true,
    isKey: 'groups whose releases are never downloaded, by name, id or address',
    library: 'excludeGroups',
    commands: { download: true, 'sync add': true, 'sync import': true },
  },
  excludeUploader: {
    kind: 'ids',
    description: 'users to exclude, by id, separated by commas',
    isKey: 'users, by id, whose uploads are never downloaded',
    commands: { 'sync add': true, 'sync import': true },
  },
  pin: {
    kind: 'ids',
    description: 'releases to take for their chapters, by id',
    isKey:
      'releases, by the id of the chapter, that are taken for their chapter whatever the order of languages and groups is; written by `tankobon sync pin`',
  },
  block: {
    kind: 'ids',
    description: 'releases never to take, by id',
    isKey:
      'releases, by the id of the chapter, that are never downloaded; written by `tankobon sync block`',
  },
  allReleases: {
    kind: 'switch',
    description: 'every release of a chapter, not only the best one',
    default: false,
    isSetting: true,
    library: true,
    commands: { download: true },
  },
  latest: {
    kind: 'integer',
    description: 'only the n newest chapters',
    range: [1, 100_000],
    example: '10',
    placeholder: 'n',
    library: true,
    commands: { download: true },
  },
  keepLatest: {
    kind: 'integer',
    description: 'keep only the n latest chapters; the files of others are moved away',
    range: [1, 100_000],
    example: '20',
    placeholder: 'n',
    isKey:
      'such as `20`: only the latest chapters in reading order are downloaded, and files of earlier ones are moved to `.tankobon-replaced`',
    commands: { 'sync add': true, 'sync import': true },
  },
  keepUnread: {
    kind: 'switch',
    description: 'keep only unread chapters; the files of read ones are moved away (needs a login)',
    isKey:
      '`true`: only chapters that your account has not marked as read are downloaded, and files of read ones are moved to `.tankobon-replaced`; with `keep-latest`, what either of the two keeps stays',
    commands: { 'sync add': true, 'sync import': true },
  },
  fromNow: {
    kind: 'switch',
    description: 'start with the next chapter, not with the first',
    commands: {
      'sync add': true,
      'sync import': true,
      sync: 'new subscriptions start with the next chapter, not with the first',
    },
  },
  since: {
    kind: 'time',
    description: 'only chapters readable since this day (UTC) or time, such as 2026-11-21 or 7d',
    example: '2026-11-21',
    placeholder: 'date',
    isKey:
      'only chapters that become readable on this day in UTC, at this time, or later; set by `sync add --from-now` too',
    library: true,
    commands: { download: true, 'sync add': true, 'sync import': true },
  },
  until: {
    kind: 'time',
    description: 'only chapters readable until then',
    example: '2026-11-21',
    placeholder: 'date',
    isKey: 'only chapters that become readable on this day in UTC, at this time, or earlier',
    library: true,
    commands: { download: true, 'sync add': true, 'sync import': true },
  },
  paused: { kind: 'switch', description: 'skip the title', isKey: '`true`: skipped' },
} as const satisfies Record<string, OptionDefinition>;
