import {
  endpointUrl,
  pathBelow,
  readAddresses,
  tokenUrl,
} from '../../../../src/config/service-addresses.js';
import { collectionQuery } from '../../../../src/service/catalogue/collection.js';
import { firstPartyDomain } from '../../../../src/service/requests/first-party-domain.js';

const isFirstParty = (api: string, url: string): Promise<boolean> =>
  firstPartyDomain(new URL(api))(new URL(url));

describe('the own domain', () => {
  test.each([
    ['https://api.mangadex.org', 'https://uploads.mangadex.org/data/x', true],
    ['https://api.mangadex.org', 'https://mangadex.org', true],
    ['https://api.mangadex.org', 'https://evilmangadex.org', false],
    ['https://api.mangadex.org', 'https://mangadex.org.evil.net', false],
    ['https://api.mangadex.org', 'https://abc.mangadex.network', false],
    ['https://api.mangadex.org', 'https://UPLOADS.MANGADEX.ORG.', true],
    ['https://api.mangadex.org.', 'https://uploads.mangadex.org', true],
    ['https://api.mangadex.org', 'https://api.mangadex.org:8443', true],
    ['https://api.mangadex.org', 'https://10.0.0.1', false],
    ['https://api.mangadex.dev', 'https://uploads.mangadex.dev', true],
    ['https://api.mangadex.dev', 'https://uploads.mangadex.org', false],
    ['https://api.example.co.uk', 'https://other.co.uk', false],
    ['https://api.example.co.uk', 'https://cdn.example.co.uk', true],
    ['https://reader.github.io', 'https://other.github.io', false],
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4000/x', true],
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4001/x', false],
    ['http://127.0.0.1:4000', 'http://localhost:4000/x', false],
    ['http://[::1]:4000', 'http://[::1]:4000/x', true],
    ['http://localhost:4000', 'http://localhost:4001', false],
    ['http://localhost:4000', 'data:text/plain,x', false],
    ['http://localhost:4000', 'http://a.localhost:4000', false],
    ['https://api.example.org', 'http://93.184.216.34', false],
  ])('of %s: %s is %p', async (api, url, expected) => {
    expect(await isFirstParty(api, url)).toBe(expected);
  });
});

describe('addresses', () => {
  const texts = {
    apiUrl: 'https://api.example.org/v2/',
    authUrl: 'https://auth.example.org/kc',
    networkUrl: 'http://127.0.0.1:9',
    realm: 'manga-dex',
  };

  test('keep the path that they have', () => {
    const addresses = readAddresses(texts);
    expect(endpointUrl(addresses.apiUrl, '/manga/x', new URLSearchParams({ a: 'b c' })).href).toBe(
      'https://api.example.org/v2/manga/x?a=b+c',
    );
    expect(tokenUrl(addresses).href).toBe(
      'https://auth.example.org/kc/realms/manga-dex/protocol/openid-connect/token',
    );
    expect(pathBelow(addresses.apiUrl, new URL('https://api.example.org/v2x/y'))).toBeUndefined();
  });

  test.each([
    ['apiUrl', 'http://api.example.org', 'insecure-address'],
    ['apiUrl', 'ftp://api.example.org', 'bad-setting'],
    ['apiUrl', 'api.example.org', 'bad-setting'],
    ['authUrl', 'https://me:secret@auth.example.org', 'bad-setting'],
    ['networkUrl', 'https://x.example/?a=b', 'bad-setting'],
    ['realm', '../admin', 'bad-setting'],
  ])('%s cannot be %s', (name, text, code) => {
    expect(() => readAddresses({ ...texts, [name]: text })).toThrow(
      expect.objectContaining({ code }),
    );
  });
});

test('a collection is asked for by offset and limit', () => {
  expect(collectionQuery(200, 100).toString()).toBe('limit=100&offset=200');
  expect(() => collectionQuery(9_950, 100)).toThrow(/first 10000/);
});
