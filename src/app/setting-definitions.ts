/**
 * The settings as data: the one list that the settings file's schema, `tankobon config`, the environment and
 * the documentation are made from. A setting may be overridden by its environment variable, and that by a flag.
 */
import { LIVE_SERVICE } from '../rate-limit/service-addresses.js';

export interface SettingDefinition {
  readonly meaning: string;
  readonly default: string | number | boolean;
  /** The environment variable that overrides the file. */
  readonly env?: string;
  /** The flag that overrides both. */
  readonly flag?: string;
  /** What the flag does, where that is not what the setting means. */
  readonly flagMeaning?: string;
  /** For numbers, the smallest and the largest that is accepted. */
  readonly range?: readonly [number, number];
  /** For words, the only ones that are accepted. */
  readonly words?: readonly string[];
  /** A text such as `10m`. */
  readonly isDuration?: true;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const MEBIBYTE = 1024 * 1024;

export const SETTINGS = {
  apiUrl: {
    meaning: 'Address of the API.',
    default: LIVE_SERVICE.apiUrl,
    env: 'TANKOBON_API_URL',
  },
  authUrl: {
    meaning: 'Address of the authentication service.',
    default: LIVE_SERVICE.authUrl,
    env: 'TANKOBON_AUTH_URL',
  },
  networkUrl: {
    meaning: 'Address of the edge network’s report host.',
    default: LIVE_SERVICE.networkUrl,
    env: 'TANKOBON_NETWORK_URL',
  },
  realm: {
    meaning: 'Realm of the authentication service.',
    default: LIVE_SERVICE.realm,
    env: 'TANKOBON_REALM',
  },
  output: { meaning: 'Folder that the CBZ files go to.', default: '.', flag: '--output' },
  quality: {
    meaning: 'Quality of the pages: as uploaded, or compressed.',
    default: 'data',
    flag: '--quality',
    words: ['data', 'data-saver'],
  },
  concurrency: {
    meaning: 'Pages in flight at once.',
    default: 6,
    flag: '--concurrency',
    range: [1, 16],
  },
  language: {
    meaning: 'Languages wanted, in order of preference, separated by commas; empty: all.',
    default: '',
    flag: '--language',
  },
  group: {
    meaning: 'Scanlation groups preferred, in order, separated by commas; empty: none.',
    default: '',
    flag: '--group',
  },
  name: {
    meaning: 'Template of the file name; empty: the built-in one.',
    default: '',
    flag: '--name',
  },
  metadata: {
    meaning: 'Put ComicInfo.xml into the CBZ, and name it after its series.',
    default: true,
    flag: '--no-metadata',
    flagMeaning: 'Leave ComicInfo.xml out, and name the CBZ by the chapter’s id.',
  },
  reports: {
    meaning: 'Send health reports to the edge network.',
    default: true,
    flag: '--no-reports',
    flagMeaning: 'Send no health reports to the edge network.',
  },
  maxOutage: {
    meaning: 'Longest outage of the service to wait for, such as 90s, 10m or 1h; 0: fail at once.',
    default: '10m',
    flag: '--max-outage',
    isDuration: true,
  },
  maxPageBytes: {
    meaning: 'A page larger than this, in bytes, is refused.',
    default: 64 * MEBIBYTE,
    range: [MEBIBYTE, 1024 * MEBIBYTE],
  },
  maxAnswerBytes: {
    meaning: 'An answer of the API larger than this, in bytes, is refused.',
    default: 8 * MEBIBYTE,
    range: [64 * 1024, 256 * MEBIBYTE],
  },
  connectTimeoutMs: {
    meaning: 'Longest time to connect to a host, in milliseconds.',
    default: 10 * SECOND_MS,
    range: [100, 10 * MINUTE_MS],
  },
  tlsTimeoutMs: {
    meaning: 'Longest time to agree on TLS, in milliseconds.',
    default: 10 * SECOND_MS,
    range: [100, 10 * MINUTE_MS],
  },
  firstByteTimeoutMs: {
    meaning: 'Longest time from a page’s request to its answer, in milliseconds.',
    default: 20 * SECOND_MS,
    range: [100, 10 * MINUTE_MS],
  },
  idleTimeoutMs: {
    meaning: 'Longest time without a byte in the middle of a page, in milliseconds.',
    default: 15 * SECOND_MS,
    range: [100, 10 * MINUTE_MS],
  },
  pageTimeoutMs: {
    meaning: 'Longest time for a whole page, in milliseconds.',
    default: 5 * MINUTE_MS,
    range: [1_000, 60 * MINUTE_MS],
  },
  apiTimeoutMs: {
    meaning: 'Longest time for a whole request to the API, in milliseconds.',
    default: 30 * SECOND_MS,
    range: [1_000, 10 * MINUTE_MS],
  },
  reportTimeoutMs: {
    meaning: 'Longest time for a health report to be taken, in milliseconds.',
    default: 3 * SECOND_MS,
    range: [100, MINUTE_MS],
  },
} as const satisfies Record<string, SettingDefinition>;

export type SettingKey = keyof typeof SETTINGS;

type Widened<T> = T extends string ? string : T extends number ? number : boolean;

/** Every setting with its value in force. */
export type Settings = { readonly [Key in SettingKey]: Widened<(typeof SETTINGS)[Key]['default']> };

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

export function settingDefinition(key: SettingKey): SettingDefinition {
  return SETTINGS[key];
}
