/**
 * The fault list: every way in which a page load can be told to go wrong, as data with a sentence each, and
 * the plans that say where and when. Which fault a load meets follows from the plans and the load alone, so
 * a run with a seed goes wrong in the same way each time.
 */
import { createHash } from 'node:crypto';
import type { Quality } from './library/library.js';

interface FaultDefinition {
  /** `page`: one load of one page. `base-url`: the base URL itself is bad, so each page asked from it fails. */
  readonly of: 'page' | 'base-url';
  /** Whether a client must count the load as failed. */
  readonly fails: boolean;
  readonly sentence: string;
}

const page = (sentence: string): FaultDefinition => ({ of: 'page', fails: true, sentence });
const baseUrl = (sentence: string): FaultDefinition => ({ of: 'base-url', fails: true, sentence });

export const FAULTS = {
  'connection-reset': page('The connection is reset before the answer begins.'),
  'closed-without-answer': page('The connection is closed before the answer begins.'),
  'switching-protocols': page('101, with a change to another protocol that nobody asked for.'),
  'connect-refused': baseUrl('The base URL names a port where nobody listens.'),
  'silent-node': baseUrl('The base URL names a port that takes connections and never says a word.'),
  'bad-certificate': baseUrl("The base URL's node shows a certificate that nobody vouches for."),
  'tls-refused': baseUrl("The base URL's node ends the TLS handshake."),
  hang: page('The request is taken and never answered.'),
  stall: page('Half of the body comes, and then nothing more.'),
  trickle: page('The body comes sixteen bytes at a time, with pauses.'),
  'cut-with-length': page('The connection ends halfway through the announced length.'),
  'cut-without-length': page('No length is announced, and the body ends halfway as if complete.'),
  'cut-chunked': page('A chunked body breaks off halfway, without its last chunk.'),
  'truncated-copy': page(
    'The first half of the image as if it were whole: status 200, chunked, X-Cache: HIT, a proper end.',
  ),
  'truncated-copy-with-length': page(
    'The first half of the image as if it were whole: status 200, its own length, X-Cache: HIT.',
  ),
  'status-403': page('403, as for an expired base URL.'),
  'status-404': page('404.'),
  'status-410': page('410.'),
  'status-429': page("429 from the volunteer's node, which is none of the service's hosts."),
  'status-500': page('500.'),
  'status-503': page('503.'),
  'html-page': page('An HTML page with status 200 and the type of a image.'),
  'another-image': page('A whole and valid image, but of another page; another one each time.'),
  'forged-image': page('A whole and valid image, but of another page; the same one each time.'),
  'flipped-byte': page('The image with one byte changed; another byte each time.'),
  'same-flipped-byte': page('The image with one byte changed; the same byte each time.'),
  'empty-body': page('Status 200 with a Content-Length of 0.'),
  'endless-body': page('A body that begins as a image and never ends.'),
  redirect: page('302 to another host.'),
  'no-x-cache': {
    of: 'page',
    fails: false,
    sentence: 'The whole image, but without X-Cache: a load that counts as not cached.',
  },
} as const satisfies Record<string, FaultDefinition>;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];

/** What random plans draw from where they name nothing: the failing ones that a client can always tell and outlast. */
export const RANDOM_FAULTS: readonly FaultName[] = FAULT_NAMES.filter(
  (name) => FAULTS[name].fails && !['trickle', 'same-flipped-byte', 'forged-image'].includes(name),
);

/** One fault at one place. */
interface PlannedFault {
  readonly fault: FaultName;
  /** A chapter's id; every chapter where absent. */
  readonly chapter?: string;
  /** From 1; every page where absent. Without meaning for a fault of the base URL. */
  readonly page?: number;
  readonly quality?: Quality;
  /** One of `PracticeService.nodes`; every node where absent. Without meaning for a fault of the base URL. */
  readonly node?: string;
  /**
   * The first so many loads of each such page (of any node), or every one. For a fault of the base URL, the
   * first so many base URLs handed out for the chapter.
   */
  readonly attempts: number | 'always';
}

/** Faults here and there, the same ones for the same seed. */
interface RandomFaults {
  readonly seed: number;
  /** How many of all loads fail, from 0 to 1. Of the base URLs, about a twentieth of that are bad. */
  readonly share: number;
  /** `RANDOM_FAULTS` where absent. */
  readonly faults?: readonly FaultName[];
  /** A page fails at most so many times by itself, and then comes. 2 where absent. */
  readonly maxConsecutive?: number;
}

export type PageFaultPlan = PlannedFault | RandomFaults;

/** What a plan is asked about: a load, or the handing out of a base URL (which has no page and no quality). */
export interface FaultTarget {
  readonly chapter: string;
  readonly attempt: number;
  readonly page?: number;
  readonly quality?: Quality;
  /** The origin of the node that was asked. */
  readonly node?: string;
}

/** A number from 0 up to 1 that is always the same for the same words. */
function chance(...words: readonly (string | number)[]): number {
  return createHash('sha256').update(words.join('|')).digest().readUInt32BE(0) / 2 ** 32;
}

function plannedFault(plan: PlannedFault, target: FaultTarget): FaultName | undefined {
  const ofPage = target.page !== undefined;
  const here =
    (FAULTS[plan.fault].of === 'page') === ofPage &&
    (plan.chapter ?? target.chapter) === target.chapter &&
    (!ofPage || (plan.page ?? target.page) === target.page) &&
    (!ofPage || (plan.quality ?? target.quality) === target.quality) &&
    (!ofPage || (plan.node ?? target.node) === target.node) &&
    (plan.attempts === 'always' || target.attempt <= plan.attempts);
  return here ? plan.fault : undefined;
}

function randomFault(plan: RandomFaults, target: FaultTarget): FaultName | undefined {
  const kind = target.page === undefined ? 'base-url' : 'page';
  const faults = (plan.faults ?? RANDOM_FAULTS).filter((name) => FAULTS[name].of === kind);
  const share = kind === 'page' ? plan.share : plan.share / 10;
  const words = [plan.seed, target.chapter, target.page ?? '', target.attempt];
  // Of the base URLs, no two in a row are bad.
  const spared =
    kind === 'page' ? target.attempt > (plan.maxConsecutive ?? 2) : target.attempt % 2 === 0;
  if (spared) return undefined;
  if (chance('whether', ...words) >= share) return undefined;
  return faults[Math.floor(chance('which', ...words) * faults.length)];
}

/** The fault that the first plan with a word on it names, or `undefined` where all goes well. */
export function faultOn(
  target: FaultTarget,
  plans: readonly PageFaultPlan[],
): FaultName | undefined {
  for (const plan of plans) {
    const fault = 'fault' in plan ? plannedFault(plan, target) : randomFault(plan, target);
    if (fault) return fault;
  }
  return undefined;
}
