/** Options of the connections to the service. */
import { MAX_IMAGE_BYTES } from '../../core/image-format.js';
import { LIVE_SERVICE } from '../service-addresses.js';
import type { OptionDefinition } from '../option-definition.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const MEBIBYTE = 1024 * 1024;

const addressOf = (host: string, byDefault: string) =>
  ({
    kind: 'address',
    description: `URL of ${host}`,
    default: byDefault,
    isSetting: true,
  }) as const;

function timeoutOf(
  what: string,
  byDefault: number,
  range: readonly [number, number] = [100, 10 * MINUTE_MS],
) {
  const description = `maximum time ${what}, in milliseconds`;
  return { kind: 'integer', description, default: byDefault, range, isSetting: true } as const;
}

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
    isSetting: true,
    library: true,
    commands: { download: 'maximum bytes per second, such as 500k or 2M' },
  },
  maxOutage: {
    kind: 'duration',
    description: 'longest outage to wait for, such as 90s or 1h; 0: none',
    default: '10m',
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
  apiUrl: addressOf('the API', LIVE_SERVICE.apiUrl),
  authUrl: addressOf('the authentication service', LIVE_SERVICE.authUrl),
  networkUrl: addressOf('the MangaDex@Home report host', LIVE_SERVICE.networkUrl),
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
  connectTimeoutMs: timeoutOf('to connect to a host', 10 * SECOND_MS),
  tlsTimeoutMs: timeoutOf('of a TLS handshake', 10 * SECOND_MS),
  firstByteTimeoutMs: timeoutOf('from the request of a page to the first byte', 20 * SECOND_MS),
  idleTimeoutMs: timeoutOf('between two bytes of a page', 15 * SECOND_MS),
  pageTimeoutMs: timeoutOf('to download a page', 5 * MINUTE_MS, [SECOND_MS, 60 * MINUTE_MS]),
  apiTimeoutMs: timeoutOf('of an API request', 30 * SECOND_MS, [SECOND_MS, 10 * MINUTE_MS]),
  reportTimeoutMs: timeoutOf('to send a health report', 3 * SECOND_MS, [100, MINUTE_MS]),
} as const satisfies Record<string, OptionDefinition>;
