import type { OpenKeychain } from '../../../src/config/context.js';
import { ledgerLocation } from '../../../src/config/ledger-location.js';
import { pathsFrom } from '../../../src/config/paths.js';
import { Redactor } from '../../../src/core/redactor.js';

const openKeychain: OpenKeychain = () => {
  throw new Error('The keychain is not needed.');
};

test.each([
  ['redis://nas.local:6379/0', {}],
  ['redis://:a%20b@nas.local', { password: 'a b' }],
  ['redis://reader:50%25@nas.local', { username: 'reader', password: '50%' }],
  ['redis://reader:50%@nas.local', { username: 'reader', password: '50%' }],
  ['redis://reader:%ff@nas.local', { username: 'reader', password: '%ff' }],
])('the login in %s is read, and removed from the URL', async (text, login) => {
  const env = { TANKOBON_LEDGER: text, TANKOBON_HOME: '/home/reader/tankobon' };
  const location = await ledgerLocation({
    env,
    paths: pathsFrom(env),
    redactor: new Redactor(),
    openKeychain,
  });
  if (!('server' in location)) throw new Error('The location is a folder.');
  const { url, ...found } = location.server;
  expect(found).toEqual(login);
  expect([url.username, url.password]).toEqual(['', '']);
});
