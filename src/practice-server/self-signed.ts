/**
 * A certificate for `localhost` and 127.0.0.1 (RFC 5280), created at each start, so that no key is stored. It is
 * self-signed: invalid for a client unless NODE_EXTRA_CA_CERTS names it, for which it declares itself an authority.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  readonly key: string;
  /** PEM. */
  readonly cert: string;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const [INTEGER, BIT_STRING, UTC_TIME, SEQUENCE] = [0x02, 0x03, 0x17, 0x30];

/** One value in DER (ITU-T X.690): a tag, a length, the content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const lengthBytes = length < 0x80 ? [] : length < 0x100 ? [0x81] : [0x82, length >> 8];
  return Buffer.concat([Buffer.of(tag, ...lengthBytes, length & 0xff), content]);
}

const hex = (...digits: readonly string[]): Buffer => Buffer.from(digits.join(''), 'hex');

const VERSION_3 = hex('a003020102');
const ECDSA_WITH_SHA256 = hex('300a06082a8648ce3d040302');
/** The common name `tankobon`. */
const NAME = hex('3013', '3111', '300f', '0603550403', '0c08', '74616e6b6f626f6e');
/** basicConstraints (authority) and keyUsage (digitalSignature, keyCertSign), both critical; subjectAltName. */
const EXTENSIONS = hex(
  'a33f303d',
  ...['300f', '0603551d13', '0101ff', '0405', '30030101ff'],
  ...['300e', '0603551d0f', '0101ff', '0404', '03020284'],
  ...['301a', '0603551d11', '0413', '3011', '8209', '6c6f63616c686f7374', '8704', '7f000001'],
);

/** UTCTime, which ends in 2049. */
const utcTime = (ms: number): Buffer =>
  der(UTC_TIME, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)}Z`));

/** Creates a key and its certificate, valid from one day before `now` to 30 days after. */
export function selfSigned(now: Date = new Date()): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // The first byte makes the serial number positive, without leading zeros.
  const serial = der(INTEGER, Buffer.of(0x40), randomBytes(15));
  const [from, until] = [now.getTime() - DAY_MS, now.getTime() + 30 * DAY_MS];
  const unsigned = der(
    SEQUENCE,
    VERSION_3,
    serial,
    ECDSA_WITH_SHA256,
    NAME,
    der(SEQUENCE, utcTime(from), utcTime(until)),
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    EXTENSIONS,
  );
  const signature = der(BIT_STRING, Buffer.of(0), sign('sha256', unsigned, privateKey));
  const certificate = der(SEQUENCE, unsigned, ECDSA_WITH_SHA256, signature);
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}
