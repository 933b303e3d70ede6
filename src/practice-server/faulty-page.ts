/** Turns a page's good answer into the one that a fault makes of it. The list, with a sentence each, is in faults.ts. */
import { pageAnswer, type Answer } from './endpoint.js';
import type { FaultName } from './page-faults.js';

export interface FaultyLoad {
  /** The answer of a node that is well, with the image whole in its body. */
  readonly good: Answer;
  readonly image: Buffer;
  /** From 1. */
  readonly attempt: number;
  /** An image of another page; which one, follows from the attempt. */
  anotherImage(attempt: number): Buffer;
  /** Where a redirect points. */
  readonly elsewhere: string;
}

const TRICKLE_MS = 50;

/** A change in the last third leaves the type and the sizes of a image as they were. */
function flipped(image: Buffer, step: number): Buffer {
  const changed = Buffer.from(image);
  const from = Math.floor((image.length * 2) / 3);
  const at = from + (step % Math.max(1, image.length - from - 1));
  changed.writeUInt8(changed.readUInt8(at) ^ 0x01, at);
  return changed;
}

function* endless(start: Buffer): Generator<Buffer> {
  yield start;
  const more = Buffer.alloc(64 * 1024, 0x55);
  for (;;) yield more;
}

function half(
  load: FaultyLoad,
  framing: 'length' | 'chunked' | 'until-close',
  then: 'cut' | 'stall',
): Answer {
  const afterBytes = Math.floor(load.image.length / 2);
  return { ...load.good, delivery: { how: 'sent', framing, stop: { afterBytes, then } } };
}

/** A cached file that was cut off: served as if it were the whole image. */
function truncatedCopy({ good, image }: FaultyLoad, framing: 'length' | 'chunked'): Answer {
  return {
    ...good,
    headers: { ...good.headers, 'X-Cache': 'HIT' },
    body: image.subarray(0, Math.floor(image.length / 2)),
    delivery: { how: 'sent', framing },
  };
}

const withoutXCache = (answer: Answer): Answer => ({
  ...answer,
  headers: Object.fromEntries(
    Object.entries(answer.headers ?? {}).filter(([name]) => name !== 'X-Cache'),
  ),
});

/** The answers by fault. Those of the base URL never reach a node, and so have none. */
export const FAULTY_ANSWER: Readonly<Record<FaultName, (load: FaultyLoad) => Answer>> = {
  'connection-reset': ({ good }) => ({ ...good, delivery: { how: 'reset' } }),
  'closed-without-answer': ({ good }) => ({ ...good, delivery: { how: 'close' } }),
  'switching-protocols': ({ good }) => ({ ...good, delivery: { how: 'upgrade' } }),
  'connect-refused': ({ good }) => good,
  'silent-node': ({ good }) => good,
  'bad-certificate': ({ good }) => good,
  'tls-refused': ({ good }) => good,
  hang: ({ good }) => ({ ...good, delivery: { how: 'silence' } }),
  stall: (load) => half(load, 'length', 'stall'),
  trickle: ({ good }) => ({ ...good, delivery: { how: 'sent', trickleMs: TRICKLE_MS } }),
  'cut-with-length': (load) => half(load, 'length', 'cut'),
  'cut-without-length': (load) => half(load, 'until-close', 'cut'),
  'cut-chunked': (load) => half(load, 'chunked', 'cut'),
  'truncated-copy': (load) => truncatedCopy(load, 'chunked'),
  'truncated-copy-with-length': (load) => truncatedCopy(load, 'length'),
  'status-403': () => pageAnswer(403, 'Forbidden'),
  'status-404': () => pageAnswer(404, 'Not Found'),
  'status-410': () => pageAnswer(410, 'Gone'),
  'status-429': () => pageAnswer(429, 'Too Many Requests'),
  'status-500': () => pageAnswer(500, 'Internal Server Error'),
  'status-503': () => pageAnswer(503, 'Service Unavailable'),
  'html-page': ({ good }) => ({
    ...good,
    body: '<!doctype html><html><body><h1>Please wait</h1></body></html>\n',
  }),
  'another-image': (load) => ({ ...load.good, body: load.anotherImage(load.attempt) }),
  'forged-image': (load) => ({ ...load.good, body: load.anotherImage(1) }),
  'flipped-byte': ({ good, image, attempt }) => ({ ...good, body: flipped(image, attempt) }),
  'same-flipped-byte': ({ good, image }) => ({ ...good, body: flipped(image, 0) }),
  'empty-body': ({ good }) => ({ ...good, body: '' }),
  'endless-body': ({ good, image }) => ({ ...good, body: endless(image) }),
  redirect: ({ elsewhere }) => ({ status: 302, headers: { Location: elsewhere }, body: '' }),
  'no-x-cache': ({ good }) => withoutXCache(good),
};
