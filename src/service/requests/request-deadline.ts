/**
 * A deadline for a whole request, which also ends a request that is answered with 101. For a 101, Node detaches the
 * socket and closes the request, which stops got's own timers: the request would never end.
 */
import type { EventEmitter } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { HandlerFunction } from 'got';

/** What took too long; `request` is the whole of it. The names are got's. */
export type TimedPhase = 'connect' | 'secureConnect' | 'response' | 'socket' | 'request';

/** Has the name and code of got's TimeoutError, and is classified like it. */
export class DeadlineError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'ETIMEDOUT';

  constructor(
    message: string,
    readonly event: TimedPhase = 'request',
  ) {
    super(message);
  }
}

export interface PhaseLimits {
  readonly connectTimeoutMs: number;
  readonly tlsTimeoutMs: number;
  /** From the last byte of the request to the first one of the response. */
  readonly firstByteTimeoutMs: number;
  /** Between two chunks of a response. */
  readonly idleTimeoutMs: number;
}

/** No request asks for 101 Switching Protocols. */
class UnexpectedUpgradeError extends Error {
  override readonly name = 'UnexpectedUpgradeError';
  readonly code = 'ERR_UNEXPECTED_UPGRADE';
}

/** Calls `end` with an error at the deadline, or when the response is a 101. */
export function limitRequest(
  request: EventEmitter,
  deadlineMs: number,
  end: (error: Error) => void,
): void {
  const timer = setTimeout(() => {
    end(new DeadlineError(`No complete response within ${deadlineMs} ms.`));
  }, deadlineMs);
  request.once('close', () => {
    clearTimeout(timer);
  });
  request.once('upgrade', (_response: IncomingMessage, socket: Socket) => {
    socket.destroy();
    end(new UnexpectedUpgradeError('The response was 101 Switching Protocols.'));
  });
}

/** Calls `end` with an error if one part of a request takes too long. */
export function limitPhases(
  request: ClientRequest,
  limits: PhaseLimits,
  end: (error: Error) => void,
): void {
  const { connectTimeoutMs, tlsTimeoutMs, firstByteTimeoutMs, idleTimeoutMs } = limits;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
  };
  const late = (phase: TimedPhase, limitMs: number): void => {
    end(new DeadlineError(`The limit of ${limitMs} ms for "${phase}" is over.`, phase));
  };
  const start = (phase: TimedPhase, limitMs: number): void => {
    stop();
    timer = setTimeout(late, limitMs, phase, limitMs);
  };
  request.once('socket', (socket: Socket & { readonly secureConnecting?: boolean }) => {
    if (!socket.connecting) return;
    start('connect', connectTimeoutMs);
    // The connection itself has as much time as finding its address.
    socket.once('lookup', () => {
      start('connect', connectTimeoutMs);
    });
    socket.once('connect', () => {
      stop();
      if (socket.secureConnecting !== true) return;
      start('secureConnect', tlsTimeoutMs);
      socket.once('secureConnect', stop);
    });
  });
  request.once('finish', () => {
    start('response', firstByteTimeoutMs);
  });
  request.once('response', stop).once('close', stop);
  request.setTimeout(idleTimeoutMs, () => {
    late('socket', idleTimeoutMs);
  });
}

/** A handler of got. */
export function withDeadline(deadlineMs: number): HandlerFunction {
  return (options, next) => {
    const request = next(options);
    if (!('destroy' in request)) return request;
    limitRequest(request, deadlineMs, (error) => {
      request.destroy(error);
    });
    return request;
  };
}
