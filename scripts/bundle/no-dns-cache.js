/** Replaces cacheable-lookup, which got loads at its start and without `dnsCache` does not call. */
export default class CacheableLookup {
  constructor() {
    throw new Error('tankobon has no DNS cache.');
  }
}
