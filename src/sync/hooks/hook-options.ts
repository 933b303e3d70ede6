/** The hooks of the subscriptions file: the schema of their keys (docs/sync.md). */
import { isIP } from 'node:net';
import * as z from 'zod';
import { HOOK_EVENTS } from '../../config/hook-services.js';
import { isPublicAddress } from '../../core/public-address.js';
import { isLoopback } from '../../core/web-address.js';

export const MAX_TEXT_LENGTH = 2_048;
export const text = z.string().trim().min(1, 'must not be empty').max(MAX_TEXT_LENGTH);

function address(isAllowed: (url: URL) => boolean, expected: string) {
  return text.refine(
    (value) => URL.canParse(value) && isAllowed(new URL(value)),
    `must be a URL: ${expected}`,
  );
}

/** https:, or http: to an address of this machine or of a private network. */
const hookAddress = address(
  (url) => url.protocol === 'https:' || (url.protocol === 'http:' && isPrivateAddress(url)),
  'https:, or http: to a loopback or private address',
);
/** Allows http: to a name; the addresses that it has are checked when it is used. */
const serverAddress = address(
  (url) =>
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && (isIP(bareHost(url)) === 0 || isPrivateAddress(url))),
  'https:, or http: to a host of a private network',
);

/** Whether the URL has an IP address, or localhost, that is not on the public internet. */
function isPrivateAddress(url: URL): boolean {
  const host = bareHost(url);
  return isLoopback(url) || (isIP(host) !== 0 && !isPublicAddress(host));
}

/** Without the brackets of an IPv6 address. */
const bareHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '');

const event = z.enum(HOOK_EVENTS);
/** What the hook is called for; by default `new`. */
const on = z.union([z.array(event).min(1, 'must not be empty'), event.transform((one) => [one])]);
const onlyNew = on.refine(
  (events) => events.every((one) => one === 'new'),
  'must be new: a media server has nothing to do for the others',
);

/** What is before the path: a title's name must not choose the host. */
const AUTHORITY = /^[a-z][a-z\d+.-]*:[/\\]*[^/\\?#]*/i;
const webhookAddress = hookAddress.refine(
  (value) => !AUTHORITY.exec(value)?.[0].includes('{'),
  'must have fields in its path or query only, not in its host',
);

const webhook = z.strictObject({
  url: webhookAddress,
  on: on.optional(),
  /** Sent in place of the whole update. */
  body: z.unknown().optional(),
  headers: z.record(text.regex(/^[\w-]+$/, 'must be the name of a header'), text).optional(),
});
const komga = z.strictObject({
  url: serverAddress,
  library: text.regex(/^[\w-]{1,64}$/, 'must be the id of a library'),
  on: onlyNew.optional(),
});
const kavita = z.strictObject({
  url: serverAddress,
  'path-map': z.record(text, text).optional(),
  on: onlyNew.optional(),
});
const ntfy = z.strictObject({ url: hookAddress, on: on.optional() });
const command = z.array(text).min(1, 'must be a command and its arguments').max(100);
const exec = z.strictObject({ command, on: on.optional() });

export const hooksSchema = z.strictObject({
  exec: z
    .union([command.transform((words): z.output<typeof exec> => ({ command: words })), exec])
    .optional(),
  webhook: z
    .union([webhookAddress.transform((url): z.output<typeof webhook> => ({ url })), webhook])
    .optional(),
  ntfy: z
    .union([hookAddress.transform((url): z.output<typeof ntfy> => ({ url })), ntfy])
    .optional(),
  komga: komga.optional(),
  kavita: kavita.optional(),
});

export type HookOptions = z.output<typeof hooksSchema>;

/** The hooks as maps. */
export const HOOK_SHAPES = {
  exec: exec.shape,
  webhook: webhook.shape,
  ntfy: ntfy.shape,
  komga: komga.shape,
  kavita: kavita.shape,
};
