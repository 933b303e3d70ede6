/**
 * A deadline for a whole request, which also ends a request that is answered with 101. For a 101, Node detaches the
 * socket and closes the request, which stops got's own timers: the request would never end.
 */
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { HandlerFunction } from 'got';

/** Has the name and code of got's TimeoutError, and is classified like it. */
export class DeadlineError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'ETIMEDOUT';
  readonly event = 'request';
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
