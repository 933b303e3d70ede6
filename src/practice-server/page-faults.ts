/**
 * The faults of page loads, and the plans that say where and when they occur. A fault follows from the plans and the
 * load only, so the same seed gives the same faults.
 */
import { createHash } from 'node:crypto';
import { htmlResponse, type EndpointResponse, type Framing } from './endpoint.js';
import type { Quality } from './library/library.js';

interface FaultyLoad {
  /** The response without the fault. */
  readonly correct: EndpointResponse;
  readonly image: Buffer;
  /** From 1. */
  readonly attempt: number;
  /** An image of another page, chosen by the attempt. */
  otherImage(attempt: number): Buffer;
  readonly redirectUrl: string;
}

type Respond = (load: FaultyLoad) => EndpointResponse;

interface Fault {
  /** `page`: one load of one page. `base-url`: the base URL is faulty, so every page loaded from it fails. */
  readonly of: 'page' | 'base-url';
  /** Whether a client must count the load as failed. */
  readonly fails: boolean;
  readonly respond: Respond;
}

const TRICKLE_MS = 50;

const page = (respond: Respond): Fault => ({ of: 'page', fails: true, respond });
const delivered = (delivery: EndpointResponse['delivery']): Fault =>
  page(({ correct }) => ({ ...correct, delivery }));
const withBody = (bodyOf: (load: FaultyLoad) => EndpointResponse['body']): Fault =>
  page((load) => ({ ...load.correct, body: bodyOf(load) }));
const status = (code: number, heading: string): Fault => page(() => htmlResponse(code, heading));
/** Requests never reach a node. */
const BAD_BASE_URL: Fault = { of: 'base-url', fails: true, respond: ({ correct }) => correct };

const half = (image: Buffer): number => Math.floor(image.length / 2);

/** The response stops in the middle of the body. */
const stopped = (framing: Framing, then: 'cut' | 'stall'): Fault =>
  page(({ correct, image }) => ({
    ...correct,
    delivery: { how: 'sent', framing, stop: { afterBytes: half(image), then } },
  }));

/** A truncated file in the node's cache, served as if it were complete. */
const truncatedCopy = (framing: Framing): Fault =>
  page(({ correct, image }) => ({
    ...correct,
    headers: { ...correct.headers, 'X-Cache': 'HIT' },
    body: image.subarray(0, half(image)),
    delivery: { how: 'sent', framing },
  }));

/** Changes a byte in the last third, which leaves the image's type and dimensions intact. */
function flipByte(image: Buffer, step: number): Buffer {
  const changed = Buffer.from(image);
  const from = Math.floor((image.length * 2) / 3);
  const at = from + (step % Math.max(1, image.length - from - 1));
  changed.writeUInt8(changed.readUInt8(at) ^ 0x01, at);
  return changed;
}

function* endless(start: Buffer): Generator<Buffer> {
  yield start;
  const filler = Buffer.alloc(64 * 1024, 0x55);
  for (;;) yield filler;
}

export const FAULTS = {
  'connection-reset': delivered({ how: 'reset' }),
  'closed-without-answer': delivered({ how: 'close' }),
  'switching-protocols': delivered({ how: 'upgrade' }),
  'connect-refused': BAD_BASE_URL, // No listener on the base URL's port.
  'silent-node': BAD_BASE_URL, // The base URL's port accepts connections and sends nothing.
  'bad-certificate': BAD_BASE_URL, // The base URL's node has a certificate from an unknown authority.
  'tls-refused': BAD_BASE_URL, // The base URL's node ends the TLS handshake.
  hang: delivered({ how: 'silence' }),
  stall: stopped('length', 'stall'),
  trickle: delivered({ how: 'sent', trickleMs: TRICKLE_MS }),
  'cut-with-length': stopped('length', 'cut'),
  'cut-without-length': stopped('until-close', 'cut'),
  'cut-chunked': stopped('chunked', 'cut'),
  'truncated-copy': truncatedCopy('chunked'),
  'truncated-copy-with-length': truncatedCopy('length'),
  'status-403': status(403, 'Forbidden'),
  'status-404': status(404, 'Not Found'),
  'status-410': status(410, 'Gone'),
  'status-429': status(429, 'Too Many Requests'),
  'status-500': status(500, 'Internal Server Error'),
  'status-503': status(503, 'Service Unavailable'),
  /** HTML with the media type of an image. */
  'html-page': withBody(() => '<!doctype html><html><body><h1>Please wait</h1></body></html>\n'),
  /** Valid images of another page: a different one each time, or always the same one. */
  'another-image': withBody((load) => load.otherImage(load.attempt)),
  'forged-image': withBody((load) => load.otherImage(1)),
  'flipped-byte': withBody(({ image, attempt }) => flipByte(image, attempt)),
  'same-flipped-byte': withBody(({ image }) => flipByte(image, 0)),
  'empty-body': withBody(() => ''),
  'endless-body': withBody(({ image }) => endless(image)),
  redirect: page(({ redirectUrl }) => ({ status: 302, headers: { Location: redirectUrl } })),
  /** The load counts as not cached. */
  'no-x-cache': {
    of: 'page',
    fails: false,
    respond: ({ correct }) => ({
      ...correct,
      headers: { 'Content-Type': correct.headers?.['Content-Type'] ?? '' },
    }),
  },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

/** The faults of random plans by default: failures that every client can detect and recover from. */
export const RANDOM_FAULTS: readonly FaultName[] = FAULT_NAMES.filter(
  (name) => FAULTS[name].fails && !['trickle', 'same-flipped-byte', 'forged-image'].includes(name),
);

interface PlannedFault {
  readonly fault: FaultName;
  /** A chapter's id; every chapter by default. */
  readonly chapter?: string;
  /** From 1; every page by default. Ignored for faults of the base URL, as are `quality` and `node`. */
  readonly page?: number;
  readonly quality?: Quality;
  /** One of `PracticeService.nodes`; every node by default. */
  readonly node?: string;
  /** The number of loads of each matching page, or of base URLs issued for the chapter, that meet the fault. */
  readonly attempts: number | 'always';
}

interface RandomFaults {
  readonly seed: number;
  /** The share of loads that fail, from 0 to 1. A tenth of that share of base URLs is faulty. */
  readonly share: number;
  /** `RANDOM_FAULTS` by default. */
  readonly faults?: readonly FaultName[];
}

export type PageFaultPlan = PlannedFault | RandomFaults;

/** The load of a page, or the issue of a base URL (without page and quality). */
interface FaultTarget {
  readonly chapter: string;
  readonly attempt: number;
  readonly page?: number;
  readonly quality?: Quality;
  /** The node's origin. */
  readonly node?: string;
}

/** A number in [0, 1) that depends on the arguments only. */
function chance(...words: readonly (string | number)[]): number {
  return createHash('sha256').update(words.join('|')).digest().readUInt32BE(0) / 2 ** 32;
}

function plannedFault(plan: PlannedFault, target: FaultTarget): FaultName | undefined {
  const ofPage = target.page !== undefined;
  const matches =
    (FAULTS[plan.fault].of === 'page') === ofPage &&
    (plan.chapter ?? target.chapter) === target.chapter &&
    (!ofPage || (plan.page ?? target.page) === target.page) &&
    (!ofPage || (plan.quality ?? target.quality) === target.quality) &&
    (!ofPage || (plan.node ?? target.node) === target.node) &&
    (plan.attempts === 'always' || target.attempt <= plan.attempts);
  return matches ? plan.fault : undefined;
}

function randomFault(plan: RandomFaults, target: FaultTarget): FaultName | undefined {
  const kind = target.page === undefined ? 'base-url' : 'page';
  const faults = (plan.faults ?? RANDOM_FAULTS).filter((name) => FAULTS[name].of === kind);
  const share = kind === 'page' ? plan.share : plan.share / 10;
  const words = [plan.seed, target.chapter, target.page ?? '', target.attempt];
  // A page fails at most twice in a row, and two consecutive base URLs are never both faulty.
  const succeeds = kind === 'page' ? target.attempt > 2 : target.attempt % 2 === 0;
  if (succeeds || chance('whether', ...words) >= share) return undefined;
  return faults[Math.floor(chance('which', ...words) * faults.length)];
}

/** The fault of the first plan that matches. */
export function findFault(
  target: FaultTarget,
  plans: readonly PageFaultPlan[],
): FaultName | undefined {
  for (const plan of plans) {
    const fault = 'fault' in plan ? plannedFault(plan, target) : randomFault(plan, target);
    if (fault) return fault;
  }
  return undefined;
}
