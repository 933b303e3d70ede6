/**
 * The few commands that the ledger needs of a Redis or Valkey server, over one socket. Written for the ledger, since
 * client libraries bound neither the bytes nor the depth of a reply.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { RedisAddress } from '../../config/ledger-location.js';
import { unexpectedReply } from './redis-failure.js';
import { ErrorReply, ReplyReader, type Reply } from './reply-reader.js';

interface PendingReply {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

const DEFAULT_PORT = 6379;

export class RedisClient {
  readonly #socket: Socket;
  readonly #reader = new ReplyReader();
  /** One for each command that was sent, in their order. */
  readonly #pending: PendingReply[] = [];
  #failure: Error | undefined;

  /** Starts to connect. Commands wait for the connection; its failure rejects them. */
  constructor({ url }: RedisAddress) {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const options = {
      host,
      port: Number(url.port || DEFAULT_PORT),
      noDelay: true,
      keepAlive: true,
    };
    this.#socket = url.protocol === 'rediss:' ? connectTls(options) : connect(options);
    this.#socket.on('data', (chunk) => {
      this.#receive(chunk);
    });
    this.#socket.on('error', (error) => {
      this.#fail(error);
    });
    this.#socket.on('close', () => {
      this.#fail(new Error('The server closed the connection.'));
    });
  }

  /** Rejects with ErrorReply, RedisFailure for a reply that is refused, or the system's error of the connection. */
  send(args: readonly string[]): Promise<Reply> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject });
      this.#socket.write(encodeCommand(args));
    });
  }

  destroy(): void {
    this.#fail(new Error('The connection is closed.'));
  }

  #receive(chunk: Buffer): void {
    try {
      for (const reply of this.#reader.read(chunk)) {
        const pending = this.#pending.shift();
        if (!pending) throw unexpectedReply('to no command');
        if (reply instanceof ErrorReply) pending.reject(reply);
        else pending.resolve(reply);
      }
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#socket.destroy();
    for (const { reject } of this.#pending.splice(0)) reject(this.#failure);
  }
}

function encodeCommand(args: readonly string[]): string {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  return `*${args.length}\r\n${parts.join('')}`;
}
