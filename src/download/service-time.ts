const MAX_ERROR_MS = 24 * 60 * 60 * 1_000;

/**
 * Such as `your clock says 2018-03-01, the service's says 2026-11-21`, for where a wrong clock decides something; undefined
 * if they differ by up to a day.
 */
export function describeWrongClock(ownMs: number, serviceMs: number): string | undefined {
  if (Math.abs(serviceMs - ownMs) <= MAX_ERROR_MS) return undefined;
  return `your clock says ${dateOf(ownMs)}, the service's says ${dateOf(serviceMs)}`;
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
