/** The services that a sync notifies with a key of their own. */
export const HOOK_SERVICES = ['komga', 'kavita', 'ntfy'] as const;
export type HookService = (typeof HOOK_SERVICES)[number];
