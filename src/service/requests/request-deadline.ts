/**
 * Time limits: a deadline for each request, and limits for the parts of one that node:http sends. The deadline also ends a
 * request that is answered with 101: Node detaches its socket and closes it, which stops got's own timers, and the request
 * would never end.
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

/**
 * Calls `end` with an error if one part of a request takes too long. Timers run before what has arrived is read, so each
 * waits a turn: a node is not blamed for a process that was stopped or busy.
 */
export function limitPhases(
  request: ClientRequest,
  limits: PhaseLimits,
  end: (error: Error) => void,
): void {
  const { connectTimeoutMs, tlsTimeoutMs, firstByteTimeoutMs, idleTimeoutMs } = limits;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const start = (phase: keyof typeof AWAITED, limitMs: number): void => {
    stop();
    if (request.destroyed) return;
    const own = setTimeout(() => {
      setImmediate(() => {
        if (timer === own) end(lateError(phase, limitMs));
      });
    }, limitMs);
    timer = own;
  };
  const startTls = (): void => {
    start('secureConnect', tlsTimeoutMs);
  };
  request.once('socket', (socket: Socket & { readonly secureConnecting?: boolean }) => {
    const isSecure = socket.secureConnecting === true;
    if (isSecure) socket.once('secureConnect', stop);
    // The connection of a tunnel is there already.
    if (!socket.connecting) {
      if (isSecure) startTls();
      return;
    }
    start('connect', connectTimeoutMs);
    // The connection itself has as much time as finding its address.
    socket.once('lookup', () => {
      start('connect', connectTimeoutMs);
    });
    socket.once('connect', isSecure ? startTls : stop);
  });
  request.once('finish', () => {
    start('response', firstByteTimeoutMs);
  });
  request.once('response', stop).once('close', stop);
  limitPauses(request, idleTimeoutMs, end);
}

/** A pause in which bytes wait that this process has not read, as with a limited rate, is not the node's. */
function limitPauses(request: ClientRequest, limitMs: number, end: (error: Error) => void): void {
  let response: IncomingMessage | undefined;
  request.once('response', (incoming) => {
    response = incoming;
  });
  // The timer of a request reports one pause alone.
  request.once('socket', (socket) => {
    const onTimeout = (): void => {
      const bytesBefore = socket.bytesRead;
      setImmediate(() => {
        if (request.destroyed || socket.bytesRead !== bytesBefore) return;
        if ((response?.readableLength ?? 0) > 0) socket.setTimeout(limitMs);
        else end(lateError('socket', limitMs));
      });
    };
    const start = (): void => {
      socket.setTimeout(limitMs);
    };
    if (socket.connecting) socket.once('connect', start);
    else start();
    socket.on('timeout', onTimeout);
    request.once('close', () => {
      socket.off('timeout', onTimeout);
    });
  });
}

/** What each part waits for. */
const AWAITED: Readonly<Record<Exclude<TimedPhase, 'request'>, string>> = {
  connect: 'connection',
  secureConnect: 'TLS handshake',
  response: 'response',
  socket: 'further byte',
};

function lateError(phase: keyof typeof AWAITED, limitMs: number): DeadlineError {
  return new DeadlineError(`No ${AWAITED[phase]} within ${limitMs} ms.`, phase);
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
