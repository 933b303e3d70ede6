/** What one load of a page means: its image is kept, or it failed, and with it perhaps its base URL. Pure. */
import {
  ChapterError,
  ServiceError,
  type LoadError,
  type TankobonError,
} from '../../core/errors.js';
import type { CheckedImage, ImageOutcome } from '../../service/load-image.js';
import type { LoadReason } from '../../events/reasons.js';

export type LoadResult =
  | {
      readonly image: CheckedImage;
      readonly outcome: ImageOutcome;
      readonly failure?: undefined;
    }
  | { readonly image?: undefined; readonly failure: LoadFailure };

export interface LoadFailure {
  readonly reason: LoadReason;
  /** Whether the base URL is of no use: it is invalid or has expired, or nothing responded. */
  readonly isBaseUrlDead: boolean;
  /** The error where no further load is tried; `what` begins its message. `hint`: for a lost page. */
  readonly toError: (what: string, hint?: string) => TankobonError;
}

/** Complete images whose digest is not the one in the file name: digest to the host that served each first. */
export type MismatchedImages = Map<string, string>;

/** Evaluates a load from `host`. `mismatched` is that of the page; an image may be added to it. */
export function evaluateLoad(
  outcome: ImageOutcome,
  host: string,
  mismatched: MismatchedImages,
): LoadResult {
  if (outcome.ok) return { image: outcome, outcome };
  const { reason, message, image, responded } = outcome;
  if (image && isConfirmed(image, host, mismatched)) return { image, outcome };
  const isBaseUrlDead = !responded || reason === 'base-url-expired';
  const toError = (what: string, hint?: string) =>
    new ChapterError('page-lost', withLastError(what, message), hint === undefined ? {} : { hint });
  return { failure: { reason, isBaseUrlDead, toError } };
}

/** The base URL made no valid address, so nothing was requested: the service's response is at fault. */
export function invalidAddress({ code: reason, message }: LoadError): LoadResult {
  const toError = (what: string) => new ServiceError('bad-response', withLastError(what, message));
  return { failure: { reason, isBaseUrlDead: true, toError } };
}

/**
 * Whether two hosts have served the same bytes: then the digest in the file name is wrong. Two base URLs of one host are
 * not enough, since it serves the same file again.
 */
function isConfirmed(
  { digest }: CheckedImage,
  host: string,
  mismatched: MismatchedImages,
): boolean {
  const firstHost = mismatched.get(digest) ?? host;
  mismatched.set(digest, firstHost);
  return firstHost !== host;
}

function withLastError(what: string, message: string): string {
  return `${what}; last error: ${message}`;
}
