/**
 * The limits of a practice service that refuses nothing: files that a test puts back know nothing of the requests that were
 * sent, and the service would refuse the next ones for a while.
 */
export const NO_LIMITS = {
  general: { requests: 100_000, periodMs: 1_000 },
  requests: { 'GET /at-home/server/{id}': 100_000 },
  periodScale: 0.001,
};
