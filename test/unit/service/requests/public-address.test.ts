/** Which addresses count as public: the ranges by their edges, and IPv4 within IPv6. */
import fc from 'fast-check';
import { isPublicAddress, isPublicHost } from '../../../../src/core/public-address.js';

const SPECIAL = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.1',
  '100.64.0.0',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '203.0.113.9',
  '224.0.0.251',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
];
const PUBLIC = [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
];

const hex = (address: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};
const asUrl = (host: string): URL => new URL(`https://${host.includes(':') ? `[${host}]` : host}/`);

describe.each(SPECIAL)('%s', (address) => {
  test.each([
    ['itself', address],
    ['mapped into IPv6', `::ffff:${address}`],
    ['mapped, in hexadecimal', `::ffff:${hex(address)}`],
    ['translated by NAT64', `64:ff9b::${hex(address)}`],
    ['IPv4-compatible', `::${hex(address)}`],
    ['within 6to4', `2002:${hex(address)}::1`],
  ])('is not public: %s', (_form, written) => {
    expect(isPublicAddress(written)).toBe(false);
    expect(isPublicHost(asUrl(written))).toBe(false);
  });
});

test.each(PUBLIC)('%s is public, also mapped into IPv6 or translated by NAT64', (address) => {
  for (const written of [address, `::ffff:${hex(address)}`, `64:ff9b::${hex(address)}`]) {
    expect(isPublicAddress(written)).toBe(true);
    expect(isPublicHost(asUrl(written))).toBe(true);
  }
});

test.each([
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'fc00::1',
  'fdff::1',
  'ff02::1',
  'ff05::c',
  '64:ff9b:1::a00:1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '3fff::1',
  '4000::1',
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['2606:4700:4700::1111', '2a00:1450:4001:82f::200e', '2001:4860:4860::8888'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test.each(['localhost', 'LOCALHOST', 'localhost.', 'node.localhost', '0x7f.1', '2130706433', '0'])(
  'https://%s/ is not public by its name',
  (host) => {
    expect(isPublicHost(asUrl(host))).toBe(false);
  },
);

test('any other name may be public: its addresses decide', () => {
  expect(isPublicHost(asUrl('node.example'))).toBe(true);
  expect(isPublicHost(asUrl('localhost.example'))).toBe(true);
});

test('an IPv4 address and its forms within IPv6 are classified alike, and anything else is not public', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const itself = isPublicAddress(address);
      expect(isPublicAddress(`::ffff:${address}`)).toBe(itself);
      expect(isPublicAddress(`64:ff9b::${hex(address)}`)).toBe(itself);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      if (!/^[\d.:a-f%]/i.test(text)) expect(isPublicAddress(text)).toBe(false);
    }),
  );
});
