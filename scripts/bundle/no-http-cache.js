/** In the place of cacheable-request: got loads it at its start, and without `cache` never makes one. */
export class CacheError extends Error {}

export default class CacheableRequest {
  constructor() {
    throw new Error('tankobon keeps no HTTP cache.');
  }
}
