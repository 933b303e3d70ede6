/** Options that choose chapters and their releases. */
import type { OptionDefinition } from './option-definition.js';

export const SELECTION_OPTIONS = {
  fromFile: {
    kind: 'texts',
    description: 'read targets from a file, one per line; - is standard input; can be repeated',
    placeholder: 'file',
    commands: { download: true },
  },
  language: {
    kind: 'languages',
    description: 'language codes in order of preference, separated by commas; all: every language',
    default: '',
    example: 'en',
    placeholder: 'codes',
    isSetting: true,
    isKey: 'languages in order of preference, or `all`',
    library: 'languages',
    commands: {
      download: true,
      'sync add': true,
      search: true,
      overview:
        'codes of the languages that count, separated by commas; without it those of the files',
    },
  },
  chapters: {
    kind: 'ranges',
    description: 'only these chapters, such as 1-10,12.5,20-',
    placeholder: 'ranges',
    isKey: 'such as `1-10,12.5,20-`',
    library: true,
    commands: { search: true, download: true, 'sync add': true },
  },
  volumes: {
    kind: 'ranges',
    description: 'only these volumes, such as 1-3,none',
    placeholder: 'ranges',
    isKey: 'such as `1-3,none`',
    library: true,
    commands: { download: true, 'sync add': true },
  },
  group: {
    kind: 'list',
    description: 'preferred scanlation groups in order, separated by commas; empty: any',
    default: '',
    example: '"Preferred Scans"',
    placeholder: 'names',
    isSetting: true,
    isKey: 'preferred groups in order, by name or id',
    library: 'groups',
    commands: { download: true, 'sync add': true, bind: true },
  },
  waitForGroup: {
    kind: 'duration',
    description: 'how long to wait for the first group before another one is used, such as 2d',
    example: '2d',
    placeholder: 'duration',
    isKey:
      'how long to wait for the first group after the first release of a chapter, such as `12h`, `2d`',
    commands: { 'sync add': true },
  },
  upgrade: {
    kind: 'switch',
    description: 'replace a saved release when a more preferred one appears',
    isKey:
      '`true`: a release of a more preferred group or language, or a new upload, replaces the saved one',
    commands: { 'sync add': true },
  },
  excludeGroup: {
    kind: 'list',
    description: 'groups to exclude, separated by commas',
    example: '"Unwanted Scans"',
    placeholder: 'names',
    isKey: 'groups whose releases are never downloaded',
    commands: { 'sync add': true },
  },
  excludeUploader: {
    kind: 'ids',
    description: 'users whose uploads to exclude, by id, separated by commas',
    placeholder: 'ids',
    isKey: 'users, by id, whose uploads are never downloaded',
    commands: { 'sync add': true },
  },
  allReleases: {
    kind: 'switch',
    description: 'every release of a chapter instead of the best one',
    default: false,
    isSetting: true,
    library: true,
    commands: { download: true },
  },
  latest: {
    kind: 'integer',
    description: 'only the n most recently published chapters',
    range: [1, 100_000],
    example: '10',
    placeholder: 'n',
    library: true,
    commands: { download: true },
  },
  fromNow: {
    kind: 'switch',
    description: 'start with the next chapter, not with the first',
    commands: {
      'sync add': true,
      sync: 'new subscriptions start with the next chapter, not with the first',
    },
  },
  since: {
    kind: 'time',
    description: 'only chapters that become readable after this time',
    example: '2026-11-21T18:00:00Z',
    isKey: 'only chapters that become readable after this time; set by `sync add --from-now`',
  },
  paused: { kind: 'switch', description: 'skip the title', isKey: '`true`: skipped' },
} as const satisfies Record<string, OptionDefinition>;
