/** The services that a sync notifies with a key of their own. */
export const HOOK_SERVICES = ['komga', 'kavita', 'ntfy', 'webhook'] as const;
export type HookService = (typeof HOOK_SERVICES)[number];

/** What each service calls its key. */
export const HOOK_KEY_NAMES: Readonly<Record<HookService, string>> = {
  komga: 'Komga API key',
  kavita: 'Kavita API key',
  ntfy: 'ntfy access token',
  webhook: 'Webhook secret',
};
