/**
 * A got handler that bounds every request from outside got: one deadline for the whole of it, and an end at once to
 * an answer that takes the connection out of HTTP. For a 101, Node hands the socket over and counts the request as
 * closed, which stops got's own timers: without this, such a request never ends.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { HandlerFunction } from 'got';

/** Has the shape of got's TimeoutError, so that both are classified alike. */
export class DeadlineError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'ETIMEDOUT';
  readonly event = 'request';
}

/** The server answered 101 Switching Protocols, which no request asks for. */
export class UnexpectedUpgradeError extends Error {
  override readonly name = 'UnexpectedUpgradeError';
  readonly code = 'ERR_UNEXPECTED_UPGRADE';
}

export function withDeadline(deadlineMs: number): HandlerFunction {
  return (options, next) => {
    const request = next(options);
    if (!('destroy' in request)) return request;
    const timer = setTimeout(() => {
      request.destroy(new DeadlineError(`No complete answer within ${deadlineMs} ms.`));
    }, deadlineMs);
    request.once('close', () => {
      clearTimeout(timer);
    });
    request.once('upgrade', (_response: IncomingMessage, socket: Socket) => {
      socket.destroy();
      request.destroy(new UnexpectedUpgradeError('The answer was 101 Switching Protocols.'));
    });
    return request;
  };
}
