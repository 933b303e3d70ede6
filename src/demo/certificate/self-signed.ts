/**
 * A certificate of our own for `localhost` and 127.0.0.1 (RFC 5280), made anew at each start, so that no key
 * lies about. Nobody vouches for it: to a client it is a bad certificate, unless it is named in
 * NODE_EXTRA_CA_CERTS, for which it calls itself an authority.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import {
  asContext,
  bits,
  inContext,
  integer,
  namedBits,
  objectId,
  octets,
  sequence,
  set,
  utcTime,
  utf8,
  yes,
} from './der.js';

export interface Certificate {
  /** The private key, PEM. */
  readonly key: string;
  /** The certificate, PEM. */
  readonly cert: string;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const VERSION_3 = Buffer.of(2);
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const BASIC_CONSTRAINTS = '2.5.29.19';
const KEY_USAGE = '2.5.29.15';
const SUBJECT_ALT_NAME = '2.5.29.17';
/** digitalSignature and keyCertSign. */
const KEY_USAGE_BITS = { byte: 0b1000_0100, unused: 2 };

function extensions(): Buffer {
  const critical = (id: string, value: Buffer): Buffer =>
    sequence(objectId(id), yes(), octets(value));
  const names = sequence(
    asContext(2, Buffer.from('localhost', 'latin1')),
    asContext(7, Buffer.of(127, 0, 0, 1)),
  );
  return sequence(
    critical(BASIC_CONSTRAINTS, sequence(yes())),
    critical(KEY_USAGE, namedBits(KEY_USAGE_BITS.byte, KEY_USAGE_BITS.unused)),
    sequence(objectId(SUBJECT_ALT_NAME), octets(names)),
  );
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/** A key and a certificate that signs itself, good from a day before `now` for thirty days. */
export function selfSigned(now: Date = new Date()): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectId(ECDSA_WITH_SHA256));
  const name = sequence(set(sequence(objectId(COMMON_NAME), utf8('tankobon practice service'))));
  // The first byte keeps the number positive and without needless zeros.
  const serial = Buffer.concat([Buffer.of(0x40), randomBytes(15)]);
  const toBeSigned = sequence(
    inContext(0, integer(VERSION_3)),
    integer(serial),
    algorithm,
    name,
    sequence(
      utcTime(new Date(now.getTime() - DAY_MS)),
      utcTime(new Date(now.getTime() + 30 * DAY_MS)),
    ),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    inContext(3, extensions()),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem('CERTIFICATE', sequence(toBeSigned, algorithm, bits(signature))),
  };
}
