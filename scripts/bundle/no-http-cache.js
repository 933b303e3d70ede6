/** Replaces cacheable-request, which got loads at its start and without `cache` does not call: 4 % of the time to the first request. */
export class CacheError extends Error {}

export default class CacheableRequest {
  constructor() {
    throw new Error('tankobon has no HTTP cache.');
  }
}
