/** What a plan asks of the service at least: known before anything of it is sent. */

interface Window {
  readonly requests: number;
  readonly periodMs: number;
}

/**
 * The least time in which so many requests can be sent, in milliseconds, where each of the windows lets so many
 * through in its period: the last one's moment, if the first is sent at 0 and nothing was used before.
 */
export function minTimeMs(requests: number, windows: readonly Window[]): number {
  const sentAtMs: number[] = [];
  for (let index = 0; index < requests; index += 1) {
    const free = windows.map(
      (window) => (sentAtMs[index - window.requests] ?? -window.periodMs) + window.periodMs,
    );
    sentAtMs.push(Math.max(0, ...free));
  }
  return sentAtMs.at(-1) ?? 0;
}
