/** Which bodies and errors are which failed load. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SIGNATURE_BYTES } from '../../../../src/core/image-format.js';
import { checkImage, checkStatus } from '../../../../src/service/pages/image-check.js';
import { loadReasonOf } from '../../../../src/service/load-reason.js';
import {
  DeadlineError,
  type TimedPhase,
} from '../../../../src/service/requests/request-deadline.js';
import { generateChapter } from '../../../../src/practice-server/library/library.js';

const [page] = generateChapter({ pages: 1, bytesPerPage: 2_000 }).pages('data');
const image = Buffer.from(page?.bytes() ?? '');
const digest = createHash('sha256').update(image).digest('hex');

function check(bytes: Buffer, expectedDigest?: string, headers: IncomingMessage['headers'] = {}) {
  return checkImage({ headers }, expectedDigest, {
    bytes: bytes.length,
    head: bytes.subarray(0, SIGNATURE_BYTES),
    crc32: 7,
    digest: () => createHash('sha256').update(bytes).digest('hex'),
    read: () => Promise.resolve(bytes),
  });
}

describe('a body', () => {
  test.each([digest, undefined])(
    'that is the image is kept (digest in the name: %s)',
    async (own) => {
      expect(await check(image, own)).toEqual({ ok: true, digest, crc32: 7, extension: 'png' });
    },
  );

  test.each<[string, Buffer, string, IncomingMessage['headers']]>([
    ['that is empty', Buffer.alloc(0), 'bad-length', {}],
    ['shorter than announced', image, 'bad-length', { 'content-length': '9000' }],
    ['cut off', image.subarray(0, -20), 'bad-length', {}],
    ['of HTML', Buffer.from('<!doctype html><p>Sorry'), 'not-an-image', {}],
  ])('%s is not kept', async (_, bytes, reason, headers) => {
    expect(await check(bytes, digest, headers)).toMatchObject({ ok: false, reason });
  });

  test('of another complete image is bad-digest, and comes with that image', async () => {
    const result = await check(image, '0'.repeat(64));
    expect(result).toMatchObject({ ok: false, reason: 'bad-digest', image: { digest } });
  });
});

test.each([
  [200, undefined],
  [302, 'redirected'],
  [403, 'base-url-expired'],
  [410, 'base-url-expired'],
  [404, 'bad-status'],
  [500, 'bad-status'],
])('status %d is %s', (status, reason) => {
  const failure = checkStatus(status);
  expect(failure?.ok === false ? failure.reason : undefined).toBe(reason);
});

const withCode = (code: string) => Object.assign(new Error('failed'), { code });
const timeout = (phase: TimedPhase) => new DeadlineError('Too late.', phase);

test.each([
  [withCode('ECONNREFUSED'), 0, 'connect-failed'],
  [new Error('outer', { cause: withCode('ENOTFOUND') }), 0, 'connect-failed'],
  [withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 0, 'bad-certificate'],
  [withCode('ECONNRESET'), 0, 'connection-broken'],
  [withCode('ECONNRESET'), 10, 'bad-length'],
  [timeout('connect'), 0, 'connect-timeout'],
  [timeout('secureConnect'), 0, 'tls-timeout'],
  [timeout('response'), 0, 'first-byte-timeout'],
  [timeout('socket'), 5, 'idle-timeout'],
  [timeout('request'), 5, 'page-timeout'],
])('the error %s after %d bytes is %s', (error, bytes, reason) => {
  expect(loadReasonOf(error, bytes)).toBe(reason);
});
