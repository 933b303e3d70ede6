/** Resolves names for plain http: to media servers at home: a public address is refused, since it would see the key. */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { ServiceError } from '../core/errors.js';
import { isPublicAddress } from './public-address.js';

export const privateLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, options, (error, found, family) => {
    if (error) {
      callback(error, found, family);
      return;
    }
    const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address);
    const open = addresses.find(isPublicAddress);
    if (open === undefined) {
      callback(null, found, family);
      return;
    }
    const message = `${hostname} (${open}) is on the public internet and is reached by https: only.`;
    callback(new ServiceError('insecure-address', message), found, family);
  });
};
