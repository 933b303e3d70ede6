import { connectionHint } from '../../../../src/service/requests/send-request.js';

test.each([
  [
    ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ECONNRESET'],
    /providers block MangaDex.*HTTPS_PROXY/,
  ],
  [['ERR_TLS_CERT_ALTNAME_INVALID'], /providers block MangaDex/],
  [['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'], /NODE_EXTRA_CA_CERTS/],
  [['CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED'], /clock/],
])('%j has a hint that says what helps', (codes, expected) => {
  for (const code of codes) expect(connectionHint(code)).toMatch(expected);
});

test('another code has the hint of every failed connection', () => {
  expect(connectionHint('EPIPE')).toBeUndefined();
});
