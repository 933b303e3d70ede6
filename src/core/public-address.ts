/**
 * Which addresses are on the public internet. The base URLs of pages are untrusted, and must not cause requests to this
 * machine or to its private networks (RFC 6890 and the IANA registries of special-purpose addresses).
 */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { isLoopback } from './web-address.js';

/** Special IPv4 blocks: this network, private, shared (CGNAT), loopback, link-local, documentation, multicast, … */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** Special blocks within global unicast: Teredo and other protocols, documentation, 6to4. */
const SPECIAL_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

/** IPv4 addresses within IPv6: mapped (RFC 4291 2.5.5.2), and translated by NAT64 (RFC 6052). */
const IPV4_PREFIXES = ['::ffff:', '64:ff9b::'] as const;
const IPV4_PREFIX_BITS = 96;

let blocks: { readonly special: BlockList; readonly unicast: BlockList } | undefined;

/** Made on first use: the lists take a millisecond. */
function addressBlocks(): NonNullable<typeof blocks> {
  if (blocks) return blocks;
  const special = new BlockList();
  const unicast = new BlockList();
  unicast.addSubnet('2000::', 3, 'ipv6');
  for (const prefix of IPV4_PREFIXES)
    unicast.addSubnet(`${prefix}0.0.0.0`, IPV4_PREFIX_BITS, 'ipv6');
  for (const [net, bits] of SPECIAL_IPV6) special.addSubnet(net, bits, 'ipv6');
  for (const [net, bits] of SPECIAL_IPV4) {
    special.addSubnet(net, bits, 'ipv4');
    for (const prefix of IPV4_PREFIXES)
      special.addSubnet(`${prefix}${net}`, IPV4_PREFIX_BITS + bits, 'ipv6');
  }
  return (blocks = { special, unicast });
}

/** Whether an IP address, as returned by a resolver, is public. */
export function isPublicAddress(address: string): boolean {
  const [plain = ''] = address.split('%');
  const { special, unicast } = addressBlocks();
  if (isIPv4(plain)) return !special.check(plain, 'ipv4');
  return isIPv6(plain) && unicast.check(plain, 'ipv6') && !special.check(plain, 'ipv6');
}

/** Whether the host of a URL can be public: a name other than localhost, or a public IP address. Names are not resolved. */
export function isPublicHost(url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? !isLoopback(url) : isPublicAddress(host);
}
