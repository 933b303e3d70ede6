/**
 * One connection to a Redis or Valkey server. It is opened when it is needed, and again after it broke: how long to
 * wait between is up to the caller.
 */
import { createHash } from 'node:crypto';
import { isRecord } from '../../core/json.js';
import type { RedisAddress } from '../../config/ledger-location.js';
import { RedisClient } from './redis-client.js';
import { RedisFailure, replyCode, replyFailure } from './redis-failure.js';
import { ErrorReply } from './reply-reader.js';

/** Runs scripts on a server. */
export interface ScriptRunner {
  /** Throws RedisFailure. */
  evaluate(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  /** Before the process ends: waits at most a second for a reply from now on. */
  shortenWaits(): void;
  close(): void;
}

/** The limit of a connection with its login, and of a reply. */
const MAX_REPLY_MS = 5_000;
const MAX_REPLY_AT_EXIT_MS = 1_000;

export class RedisConnection implements ScriptRunner {
  #client: Promise<RedisClient> | undefined;

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
    void this.#client?.then(
      (client) => {
        client.destroy();
      },
      () => undefined,
    );
    this.#client = undefined;
  }

  async #send(args: readonly string[]): Promise<unknown> {
    const client = await (this.#client ??= this.#connect());
    return this.#withTimeout(client.send(args));
  }

  async #connect(): Promise<RedisClient> {
    const client = new RedisClient(this.address);
    try {
      await this.#withTimeout(this.#logIn(client));
    } catch (error) {
      client.destroy();
      throw error;
    }
    return client;
  }

  async #logIn(client: RedisClient): Promise<void> {
    const { url, username, password } = this.address;
    if (username !== undefined) await client.send(['AUTH', username, password ?? '']);
    else if (password !== undefined) await client.send(['AUTH', password]);
    const database = Number(url.pathname.slice(1));
    if (database !== 0) await client.send(['SELECT', String(database)]);
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
    const isReply = error instanceof ErrorReply;
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
