interface Window {
  readonly requests: number;
  readonly periodMs: number;
}

/**
 * The least time in milliseconds that this many requests take under the rate limits `windows`: when the last one can
 * be sent, if the first is sent at 0 and no quota is used yet.
 */
export function minTimeMs(requests: number, windows: readonly Window[]): number {
  const sentAtMs: number[] = [];
  for (let index = 0; index < requests; index += 1) {
    const freeAtMs = windows.map(
      (window) => (sentAtMs[index - window.requests] ?? -window.periodMs) + window.periodMs,
    );
    sentAtMs.push(Math.max(0, ...freeAtMs));
  }
  return sentAtMs.at(-1) ?? 0;
}
