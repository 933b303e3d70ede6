/**
 * The settings: the settings file, `tankobon config`, the options of commands and the documentation are made from this
 * table. An option overrides an environment variable, which overrides the settings file.
 */
import { QUALITIES } from '../image/page-url.js';
import { LIVE_SERVICE } from '../rate-limit/service-addresses.js';

export interface SettingDefinition {
  readonly description: string;
  readonly default: string | number | boolean;
  /** A valid value as typed in a shell, for hints; needed if the default is empty. */
  readonly example?: string;
  /** The environment variable that overrides the file. */
  readonly env?: string;
  /** The option that overrides both. */
  readonly flag?: string;
  /** What the option does, if it is not what the setting does. */
  readonly flagDescription?: string;
  /** Minimum and maximum of a number. */
  readonly range?: readonly [number, number];
  /** The allowed strings. */
  readonly choices?: readonly string[];
  /** A string such as `10m`. */
  readonly isDuration?: true;
  /** A string such as `2M`, in bytes per second; or empty. */
  readonly isByteRate?: true;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const MEBIBYTE = 1024 * 1024;

export const SETTINGS = {
  apiUrl: {
    description: 'URL of the API',
    default: LIVE_SERVICE.apiUrl,
    env: 'TANKOBON_API_URL',
  },
  authUrl: {
    description: 'URL of the authentication service',
    default: LIVE_SERVICE.authUrl,
    env: 'TANKOBON_AUTH_URL',
  },
  networkUrl: {
    description: 'URL of the MangaDex@Home report host',
    default: LIVE_SERVICE.networkUrl,
    env: 'TANKOBON_NETWORK_URL',
  },
  realm: {
    description: 'realm of the authentication service',
    default: LIVE_SERVICE.realm,
    env: 'TANKOBON_REALM',
  },
  output: { description: 'folder for the saved files', default: '.', flag: '--output' },
  quality: {
    description: 'images as uploaded, or compressed',
    default: 'data',
    flag: '--quality',
    choices: QUALITIES,
  },
  concurrency: {
    description: 'maximum number of pages to download at once',
    default: 6,
    flag: '--concurrency',
    range: [1, 16],
  },
  limitRate: {
    description: 'maximum download rate in bytes per second, such as 500k or 2M; empty: unlimited',
    default: '',
    example: '2M',
    flag: '--limit-rate',
    isByteRate: true,
  },
  language: {
    description: 'language codes in order of preference, separated by commas; all: every language',
    default: '',
    example: 'en',
    flag: '--language',
  },
  group: {
    description: 'preferred scanlation groups in order, separated by commas; empty: any',
    default: '',
    example: '"Preferred Scans"',
    flag: '--group',
  },
  name: {
    description: 'template of the file name; empty: the built-in one',
    default: '',
    example: '"{series}/{chapter}"',
    flag: '--name',
  },
  metadata: {
    description: 'add ComicInfo.xml to the CBZ, and name the CBZ after its title and chapter',
    default: true,
    flag: '--no-metadata',
    flagDescription: 'omit ComicInfo.xml, and name the CBZ after the id of the chapter',
  },
  volumeField: {
    description: 'content of Volume in ComicInfo.xml, which some readers misuse',
    default: 'number',
    choices: ['number', 'none'],
  },
  reports: {
    description: 'send health reports to MangaDex@Home',
    default: true,
    flag: '--no-reports',
    flagDescription: 'do not send health reports to MangaDex@Home',
  },
  maxOutage: {
    description:
      'maximum outage of the service to wait for, such as 90s, 10m or 1h; 0: fail at once',
    default: '10m',
    flag: '--max-outage',
    isDuration: true,
  },
  maxPageBytes: {
    description: 'maximum size of a page in bytes',
    default: 64 * MEBIBYTE,
    range: [MEBIBYTE, 1024 * MEBIBYTE],
  },
  maxAnswerBytes: {
    description: 'maximum size of an API response in bytes',
    default: 8 * MEBIBYTE,
    range: [64 * 1024, 256 * MEBIBYTE],
  },
  connectTimeoutMs: {
    description: 'maximum time to connect to a host, in milliseconds',
    default: 10 * SECOND_MS,
    range: [100, 10 * MINUTE_MS],
  },
  tlsTimeoutMs: {
    description: 'maximum time of a TLS handshake, in milliseconds',
    default: 10 * SECOND_MS,
    range: [100, 10 * MINUTE_MS],
  },
  firstByteTimeoutMs: {
    description: 'maximum time from the request of a page to the first byte, in milliseconds',
    default: 20 * SECOND_MS,
    range: [100, 10 * MINUTE_MS],
  },
  idleTimeoutMs: {
    description: 'maximum time between two bytes of a page, in milliseconds',
    default: 15 * SECOND_MS,
    range: [100, 10 * MINUTE_MS],
  },
  pageTimeoutMs: {
    description: 'maximum time to download a page, in milliseconds',
    default: 5 * MINUTE_MS,
    range: [1_000, 60 * MINUTE_MS],
  },
  apiTimeoutMs: {
    description: 'maximum time of an API request, in milliseconds',
    default: 30 * SECOND_MS,
    range: [1_000, 10 * MINUTE_MS],
  },
  reportTimeoutMs: {
    description: 'maximum time to send a health report, in milliseconds',
    default: 3 * SECOND_MS,
    range: [100, MINUTE_MS],
  },
} as const satisfies Record<string, SettingDefinition>;

export type SettingKey = keyof typeof SETTINGS;

type Widened<T> = T extends string ? string : T extends number ? number : boolean;

/** The effective value of each setting. */
export type Settings = { readonly [Key in SettingKey]: Widened<(typeof SETTINGS)[Key]['default']> };

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

export function settingDefinition(key: SettingKey): SettingDefinition {
  return SETTINGS[key];
}
