/**
 * A got handler with a deadline for the whole request, which also ends a request that is answered with 101. For a 101,
 * Node detaches the socket and closes the request, which stops got's own timers: the request would never end.
 */
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
export class UnexpectedUpgradeError extends Error {
  override readonly name = 'UnexpectedUpgradeError';
  readonly code = 'ERR_UNEXPECTED_UPGRADE';

  constructor() {
    super('The response was 101 Switching Protocols.');
  }
}

export function withDeadline(deadlineMs: number): HandlerFunction {
  return (options, next) => {
    const request = next(options);
    if (!('destroy' in request)) return request;
    const timer = setTimeout(() => {
      request.destroy(new DeadlineError(`No complete response within ${deadlineMs} ms.`));
    }, deadlineMs);
    request.once('close', () => {
      clearTimeout(timer);
    });
    request.once('upgrade', (_response: IncomingMessage, socket: Socket) => {
      socket.destroy();
      request.destroy(new UnexpectedUpgradeError());
    });
    return request;
  };
}
