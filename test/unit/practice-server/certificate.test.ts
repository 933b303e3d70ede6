/** The self-signed certificates of the practice server. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { selfSigned } from '../../../src/practice-server/self-signed.js';

test('a certificate is valid for this machine only, self-signed, and an authority', () => {
  const now = new Date('2031-03-04T05:06:07.890Z');
  const { cert, key } = selfSigned(now);
  const read = new X509Certificate(cert);
  expect(read.checkHost('localhost')).toBe('localhost');
  expect(read.checkHost('example.org')).toBeUndefined();
  expect(read.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(read.ca).toBe(true);
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(new Date(read.validFrom).toISOString()).toBe('2031-03-03T05:06:07.000Z');
  expect(new Date(read.validTo).toISOString()).toBe('2031-04-03T05:06:07.000Z');
});

test('each certificate has a new key and serial number', () => {
  const one = new X509Certificate(selfSigned().cert);
  const other = new X509Certificate(selfSigned().cert);
  expect(one.serialNumber).not.toBe(other.serialNumber);
  expect(one.verify(other.publicKey)).toBe(false);
});
