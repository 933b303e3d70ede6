/** The services that a sync notifies with a key of their own. */
export const HOOK_SERVICES = ['komga', 'kavita', 'ntfy', 'webhook'] as const;
export type HookService = (typeof HOOK_SERVICES)[number];

/** Those that scan folders. */
export const MEDIA_SERVERS = ['komga', 'kavita'] as const satisfies readonly HookService[];

/** What a hook can be called for: new chapters, failures, and chapters that MangaDex does not have any more. */
export const HOOK_EVENTS = ['new', 'failed', 'taken-down'] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** What each service calls its key. */
export const HOOK_KEY_NAMES: Readonly<Record<HookService, string>> = {
  komga: 'Komga API key',
  kavita: 'Kavita API key',
  ntfy: 'ntfy access token',
  webhook: 'Webhook secret',
};
