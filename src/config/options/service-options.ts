/** Options of the connections to the service. */
import { MAX_IMAGE_BYTES } from '../../core/image-format.js';
import { LIVE_SERVICE } from '../service-addresses.js';
import type { OptionDefinition } from '../option-definition.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const MEBIBYTE = 1024 * 1024;

export const SERVICE_OPTIONS = {
  concurrency: {
    kind: 'integer',
    description: 'maximum pages at once',
    default: 6,
    range: [1, 16],
    placeholder: 'n',
    isSetting: true,
    library: true,
    commands: { download: true },
  },
  limitRate: {
    kind: 'rate',
    description: 'maximum download rate in bytes per second, such as 500k or 2M; empty: unlimited',
    default: '',
    example: '2M',
    placeholder: 'rate',
    isSetting: true,
    library: true,
    commands: { download: 'maximum bytes per second, such as 500k or 2M' },
  },
  maxOutage: {
    kind: 'duration',
    description: 'longest outage to wait for, such as 90s or 1h; 0: none',
    default: '10m',
    placeholder: 'duration',
    isSetting: true,
    library: true,
    commands: { download: true, sync: true },
  },
  minFree: {
    kind: 'size',
    description:
      'space to leave free on the disk of the output folder: a run stops before a chapter that needs more; false: none',
    default: '500M',
    example: '2G',
    canBeOff: true,
    placeholder: 'size',
    isSetting: true,
  },
  reports: {
    kind: 'switch',
    description: 'send health reports to MangaDex@Home',
    default: true,
    isSetting: true,
    library: true,
    commands: { download: 'do not send health reports to MangaDex@Home' },
  },
  port443: {
    kind: 'switch',
    description: 'load pages from nodes on port 443 only, for networks that block other ports',
    default: false,
    isSetting: true,
  },
  captchaResult: {
    kind: 'text',
    description: 'result of a captcha that you solved in a browser',
    placeholder: 'token',
    commands: { download: true, sync: true },
  },
  apiUrl: {
    kind: 'address',
    description: 'URL of the API',
    default: LIVE_SERVICE.apiUrl,
    isSetting: true,
  },
  authUrl: {
    kind: 'address',
    description: 'URL of the authentication service',
    default: LIVE_SERVICE.authUrl,
    isSetting: true,
  },
  networkUrl: {
    kind: 'address',
    description: 'URL of the MangaDex@Home report host',
    default: LIVE_SERVICE.networkUrl,
    isSetting: true,
  },
  realm: {
    kind: 'text',
    description: 'realm of the authentication service',
    default: LIVE_SERVICE.realm,
    isSetting: true,
  },
  maxPageBytes: {
    kind: 'integer',
    description: 'maximum size of a page in bytes',
    default: 64 * MEBIBYTE,
    range: [MEBIBYTE, MAX_IMAGE_BYTES],
    isSetting: true,
  },
  maxResponseBytes: {
    kind: 'integer',
    description: 'maximum size of an API response in bytes',
    default: 8 * MEBIBYTE,
    range: [64 * 1024, 256 * MEBIBYTE],
    isSetting: true,
  },
  connectTimeoutMs: {
    kind: 'integer',
    description: 'maximum time to connect to a host, in milliseconds',
    default: 10 * SECOND_MS,
    range: [100, 10 * MINUTE_MS],
    isSetting: true,
  },
  tlsTimeoutMs: {
    kind: 'integer',
    description: 'maximum time of a TLS handshake, in milliseconds',
    default: 10 * SECOND_MS,
    range: [100, 10 * MINUTE_MS],
    isSetting: true,
  },
  firstByteTimeoutMs: {
    kind: 'integer',
    description: 'maximum time from the request of a page to the first byte, in milliseconds',
    default: 20 * SECOND_MS,
    range: [100, 10 * MINUTE_MS],
    isSetting: true,
  },
  idleTimeoutMs: {
    kind: 'integer',
    description: 'maximum time between two bytes of a page, in milliseconds',
    default: 15 * SECOND_MS,
    range: [100, 10 * MINUTE_MS],
    isSetting: true,
  },
  pageTimeoutMs: {
    kind: 'integer',
    description: 'maximum time to download a page, in milliseconds',
    default: 5 * MINUTE_MS,
    range: [1_000, 60 * MINUTE_MS],
    isSetting: true,
  },
  apiTimeoutMs: {
    kind: 'integer',
    description: 'maximum time of an API request, in milliseconds',
    default: 30 * SECOND_MS,
    range: [1_000, 10 * MINUTE_MS],
    isSetting: true,
  },
  reportTimeoutMs: {
    kind: 'integer',
    description: 'maximum time to send a health report, in milliseconds',
    default: 3 * SECOND_MS,
    range: [100, MINUTE_MS],
    isSetting: true,
  },
} as const satisfies Record<string, OptionDefinition>;
