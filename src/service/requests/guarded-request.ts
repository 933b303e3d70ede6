/**
 * Keeps a request within its permit: its bytes are held back until the connection is ready, and leave only if the permit
 * is still valid then, since a connection may take long and a process may be suspended. Without a response it is ended
 * before the permit expires.
 */
import type { EventEmitter } from 'node:events';
import { TankobonError } from '../../core/errors.js';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { ObservedResponse, Permit } from '../permits/rate-ledger.js';
import { DeadlineError } from './request-deadline.js';

/** A permit that is given back and reserved again if it has become invalid before the request was sent. */
export class RequestPermit {
  #permit: Permit;
  #isSent = false;

  private constructor(
    first: Permit,
    private readonly reserve: () => Promise<Permit>,
  ) {
    this.#permit = first;
  }

  static async reserved(reserve: () => Promise<Permit>): Promise<RequestPermit> {
    return new RequestPermit(await reserve(), reserve);
  }

  /** Resolves when the request may be sent; to be called right before. */
  async prepare(): Promise<void> {
    while (!this.#permit.isValid()) {
      await this.#permit.settle('unsent');
      this.#permit = await this.reserve();
    }
  }

  /** Called right before bytes are written; returns how long the request may take. */
  markSent(): number {
    this.#isSent = true;
    return this.#permit.remainingMs();
  }

  settle(response?: ObservedResponse): Promise<void> {
    return this.#permit.settle(response ?? (this.#isSent ? undefined : 'unsent'));
  }
}

/** @param stream a request of got that has just been made */
export function guardStream(stream: EventEmitter, permit: RequestPermit): void {
  stream.once('request', (request: ClientRequest) => {
    guardRequest(request, permit);
  });
}

/** @param request one that has just been made */
export function guardRequest(request: ClientRequest, permit: RequestPermit): void {
  request.once('socket', (socket: Socket & { readonly secureConnecting?: boolean }) => {
    socket.cork();
    const send = (): void => void sendInTime(request, socket, permit);
    if (socket.secureConnecting === true) socket.once('secureConnect', send);
    else if (socket.connecting) socket.once('connect', send);
    else send();
  });
}

async function sendInTime(
  request: ClientRequest,
  socket: Socket,
  permit: RequestPermit,
): Promise<void> {
  try {
    await permit.prepare();
  } catch (error) {
    request.destroy(error as Error);
    return;
  }
  if (request.destroyed) {
    await permit.settle();
    return;
  }
  const remainingMs = permit.markSent();
  if (remainingMs < Infinity) {
    const timer = setTimeout(() => {
      request.destroy(new DeadlineError('No response within the life of the request.'));
    }, remainingMs);
    const clear = (): void => {
      clearTimeout(timer);
    };
    request.once('response', clear).once('close', clear);
  }
  socket.uncork();
}

/** The error of the ledger that a request was destroyed with, which got may have wrapped. */
export function findLedgerError(error: unknown): TankobonError | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return [error, cause].find((candidate) => candidate instanceof TankobonError);
}
