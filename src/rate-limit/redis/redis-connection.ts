/**
 * One connection to a Redis or Valkey server. It is opened when it is needed, and again after it broke: how long to
 * wait between is up to the caller. The client library is loaded here and nowhere else.
 */
import type * as Redis from '@redis/client';
import { createHash } from 'node:crypto';
import { isRecord } from '../../core/json.js';
import { RedisFailure, replyCode, replyFailure } from './redis-failure.js';

export interface RedisAddress {
  /** `redis:` or `rediss:`, with a host, and at most a port and the number of a database. */
  readonly url: URL;
  readonly username?: string;
  readonly password?: string;
}

/** For messages: without user name and password. */
export function displayAddress({ url }: RedisAddress): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** Runs scripts on a server. */
export interface ScriptRunner {
  /** Throws RedisFailure. */
  evaluate(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  /** Before the process ends: waits at most a second for a reply from now on. */
  shortenWaits(): void;
  close(): void;
}

const DEFAULT_PORT = 6379;
/** The limit of a connection with its login, and of a reply. */
const MAX_REPLY_MS = 5_000;
const MAX_REPLY_AT_EXIT_MS = 1_000;

type Library = typeof Redis;
type Client = Pick<ReturnType<Library['createClient']>, 'sendCommand' | 'destroy'>;

export class RedisConnection implements ScriptRunner {
  #library: Library | undefined;
  #client: Promise<Client> | undefined;

  constructor(
    private readonly address: RedisAddress,
    private maxReplyMs = MAX_REPLY_MS,
  ) {}

  async evaluate(
    script: string,
    keys: readonly string[],
    args: readonly string[],
  ): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    // The server's name for a script that it has run before.
    const sha1 = createHash('sha1').update(script).digest('hex');
    try {
      return await this.#send(['EVALSHA', sha1, ...rest]);
    } catch (error) {
      // The server has restarted, or has never seen this version of the script.
      if (!(error instanceof Error) || replyCode(error.message) !== 'NOSCRIPT') {
        throw this.#failure(error);
      }
    }
    return this.#send(['EVAL', script, ...rest]).catch((error: unknown) => {
      throw this.#failure(error);
    });
  }

  shortenWaits(): void {
    this.maxReplyMs = Math.min(this.maxReplyMs, MAX_REPLY_AT_EXIT_MS);
  }

  close(): void {
    void this.#client?.then(destroy, () => undefined);
    this.#client = undefined;
  }

  async #send(args: readonly string[]): Promise<unknown> {
    const client = await (this.#client ??= this.#connect());
    return this.#withTimeout(client.sendCommand(args));
  }

  async #connect(): Promise<Client> {
    this.#library ??= await import('@redis/client');
    const { url, username, password } = this.address;
    const client = this.#library.createClient({
      RESP: 2,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      database: Number(url.pathname.slice(1)),
      disableClientInfo: true,
      socket: {
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: Number(url.port || DEFAULT_PORT),
        connectTimeout: this.maxReplyMs,
        reconnectStrategy: false,
        ...(url.protocol === 'rediss:' && { tls: true as const }),
      },
    });
    // Each error also rejects the command that met it.
    client.on('error', () => undefined);
    try {
      await this.#withTimeout(client.connect());
    } catch (error) {
      destroy(client);
      throw error;
    }
    return client;
  }

  /** After a failure of the connection, or a reply that comes too late, the next command opens a new one. */
  async #withTimeout<T>(reply: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new RedisFailure('the server does not respond', true));
      }, this.maxReplyMs);
    });
    try {
      return await Promise.race([reply, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #failure(error: unknown): RedisFailure {
    const isReply = this.#library !== undefined && error instanceof this.#library.ErrorReply;
    const failure = isReply ? replyFailure(error.message) : connectionFailure(error);
    // A replica may have taken over at the same address: the next connection finds it.
    if (!isReply || failure.isTemporary) this.close();
    return failure;
  }
}

function connectionFailure(error: unknown): RedisFailure {
  if (error instanceof RedisFailure) return error;
  const code = isRecord(error) && typeof error['code'] === 'string' ? error['code'] : '';
  const isCertificate = /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO/.test(code);
  const what = isCertificate ? 'the certificate of the server is not valid' : 'no connection';
  const detail = code === '' ? '' : ` (${code})`;
  return new RedisFailure(`${what}${detail}`, !isCertificate, { cause: error });
}

function destroy(client: Client): void {
  try {
    client.destroy();
  } catch {
    // It is closed already.
  }
}
