/**
 * Sends requests under permits of the rate ledger: each first waits for the rate limits and any cooldown, and its
 * response is passed on to them.
 */
import { ServiceError } from '../../core/errors.js';
import type { RateLedger, RequestInfo, Wait } from '../permits/rate-ledger.js';
import { isBan, type ApiResponse } from './classify-response.js';
import type { Connections } from './connections.js';
import { RequestPermit } from './guarded-request.js';
import { markRetryable } from './retry.js';
import {
  jsonValue,
  sendRequest,
  type IncomingResponse,
  type OutgoingRequest,
} from './send-request.js';

export interface PermittedDeps {
  readonly connections: Connections;
  readonly ledger: RateLedger;
  /** Called for waits of over `minReportedWaitMs`, two seconds by default. */
  readonly onWait?: (wait: Wait) => void;
  readonly minReportedWaitMs?: number;
  /** Called with the time in the `Date` header of each response of the API, in milliseconds since the epoch. */
  readonly onServiceTime?: (serviceMs: number) => void;
  /** The limit of a response, decompressed. */
  readonly maxResponseBytes?: number;
}

const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
/** How often one request is repeated after a 429. Each time all requests wait as the service requests. */
const MAX_RATE_LIMIT_RETRIES = 5;

export function reserve(
  { ledger, onWait, minReportedWaitMs }: PermittedDeps,
  request: RequestInfo,
  signal?: AbortSignal,
): Promise<RequestPermit> {
  return RequestPermit.reserved(() =>
    ledger.reserve(request, { signal, onWait, minReportedWaitMs }),
  );
}

/**
 * Sends until the response is neither a 429 nor a ban. After a ban, it is the ledger that throws. Throws RetryableError,
 * `bad-response`, `rate-limited` and the errors of the ledger. `waitSignal` cancels only the wait for a permit.
 */
export async function sendPermitted(
  deps: PermittedDeps,
  host: 'api' | 'auth',
  outgoing: OutgoingRequest,
  waitSignal = outgoing.signal,
): Promise<ApiResponse> {
  for (let retries = 0; ; retries += 1) {
    const permit = await reserve(deps, outgoing, waitSignal);
    const response = await sendOnce(deps, host, outgoing, permit);
    if (response.status !== 429 && !isBan(response)) return response;
    if (retries === MAX_RATE_LIMIT_RETRIES) {
      throw new ServiceError(
        'rate-limited',
        `${outgoing.url.host} responded with 429 to ${retries + 1} requests, although every wait was observed.`,
      );
    }
  }
}

async function sendOnce(
  deps: PermittedDeps,
  host: 'api' | 'auth',
  outgoing: OutgoingRequest,
  permit: RequestPermit,
): Promise<ApiResponse> {
  const { connections, maxResponseBytes = MAX_RESPONSE_BYTES, onServiceTime } = deps;
  let incoming: IncomingResponse;
  try {
    incoming = await sendRequest(connections[host], { ...outgoing, permit });
  } catch (error) {
    await permit.settle();
    throw markRetryable(error);
  }
  const { status, headers } = incoming;
  const serviceMs = Date.parse(headers.date ?? '');
  if (host === 'api' && !Number.isNaN(serviceMs)) onServiceTime?.(serviceMs);
  if (status === 429) {
    incoming.discard();
    await permit.settle({ status, headers });
    return { status, headers, body: undefined };
  }
  if (status !== 403) void permit.settle({ status, headers });
  try {
    const response = { status, headers, body: jsonValue(await incoming.text(maxResponseBytes)) };
    if (status === 403) await permit.settle({ status, headers, generic: isBan(response) });
    return response;
  } catch (error) {
    // A 403 without a complete body counts as a ban too.
    if (status === 403) await permit.settle({ status, headers, generic: true });
    throw markRetryable(error);
  }
}
