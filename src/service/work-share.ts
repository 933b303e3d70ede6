/**
 * Work that several machines share: each item is claimed by one of them with a lease that lapses with its holder, and
 * items that are finished are remembered.
 */
import { randomBytes } from 'node:crypto';
import type { Wait } from './permits/rate-ledger.js';
import { RedisConnection } from './redis/redis-connection.js';
import { displayAddress, type RedisAddress } from '../config/ledger-location.js';
import { unexpectedReply } from './redis/redis-failure.js';
import { ServerOutage, type ServerOutageOptions } from './redis/server-outage.js';

/** `claimed`: this process has it now; `taken`: another process has it; `done`: it was finished. */
type ClaimResult = 'claimed' | 'taken' | 'done';

interface WorkShareOptions extends Omit<ServerOutageOptions, 'displayUrl'> {
  readonly server: RedisAddress;
  /** All machines that name the same share divide its items. */
  readonly name: string;
  readonly onWait?: (wait: Wait) => void;
  /** Default: a minute. */
  readonly leaseMs?: number;
}

const LEASE_MS = 60_000;
/** How long the list of finished items is kept after the last of them. */
const LIFETIME_MS = 35 * 24 * 60 * 60_000;

/** KEYS: finished items, claims. ARGV: operation, owner, lease, lifetime, items. */
const SHARE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local operation, owner, lapses = ARGV[1], ARGV[2], string.format('%.0f', now + ARGV[3])
local results = {}
for at = 5, #ARGV do
  local id = ARGV[at]
  local expiry, holder = string.match(redis.call('HGET', KEYS[2], id) or '', '^(%d+) (.*)$')
  local isFree = not expiry or holder == owner or tonumber(expiry) <= now
  local result = 'taken'
  if operation == 'finish' then
    redis.call('SADD', KEYS[1], id)
    redis.call('PEXPIRE', KEYS[1], ARGV[4])
    redis.call('HDEL', KEYS[2], id)
    result = 'done'
  elseif redis.call('SISMEMBER', KEYS[1], id) == 1 then
    result = 'done'
  elseif isFree and operation == 'claim' then
    redis.call('HSET', KEYS[2], id, lapses .. ' ' .. owner)
    redis.call('PEXPIRE', KEYS[2], ARGV[4])
    result = 'claimed'
  elseif isFree and operation == 'release' then
    redis.call('HDEL', KEYS[2], id)
  end
  results[#results + 1] = result
end
return results
`;

const RESULTS: readonly ClaimResult[] = ['claimed', 'taken', 'done'];

export function openWorkShare(options: WorkShareOptions): WorkShare {
  return new WorkShare({ ...options, displayUrl: displayAddress(options.server) });
}

/** All methods throw StorageError `ledger-unreachable` or `ledger-unusable`. */
export class WorkShare {
  readonly #connection: RedisConnection;
  readonly #outage: ServerOutage;
  readonly #owner = randomBytes(12).toString('hex');
  readonly #claimedIds = new Set<string>();
  readonly #leaseMs: number;
  readonly #renewal: NodeJS.Timeout;

  constructor(private readonly options: WorkShareOptions & ServerOutageOptions) {
    this.#connection = new RedisConnection(options.server);
    this.#outage = new ServerOutage(options);
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#renewal = setInterval(() => {
      void this.#renew();
    }, this.#leaseMs / 4).unref();
  }

  async claim(id: string): Promise<ClaimResult> {
    const [result = 'taken'] = await this.#run('claim', [id]);
    if (result === 'claimed') this.#claimedIds.add(id);
    return result;
  }

  /** It was done by this process; no other process gets it. */
  async finish(id: string): Promise<void> {
    await this.#run('finish', [id]);
    this.#claimedIds.delete(id);
  }

  /** It was not done; others may claim it at once. */
  async release(id: string): Promise<void> {
    this.#claimedIds.delete(id);
    await this.#run('release', [id]);
  }

  /** Releases what is claimed. */
  async close(): Promise<void> {
    clearInterval(this.#renewal);
    this.#outage.close();
    this.#connection.shortenWaits();
    // Without it the leases lapse.
    if (this.#claimedIds.size > 0)
      await this.#evaluate('release', [...this.#claimedIds]).catch(() => undefined);
    this.#connection.close();
  }

  async #renew(): Promise<void> {
    if (this.#claimedIds.size === 0) return;
    // Tried again before the lease has lapsed.
    await this.#evaluate('claim', [...this.#claimedIds]).catch(() => undefined);
  }

  #run(operation: string, ids: readonly string[]): Promise<readonly ClaimResult[]> {
    return this.#outage.retry(() => this.#evaluate(operation, ids), this.options.onWait);
  }

  async #evaluate(operation: string, ids: readonly string[]): Promise<readonly ClaimResult[]> {
    const prefix = `tankobon:{share:${this.options.name}}:1:`;
    const times = [String(this.#leaseMs), String(LIFETIME_MS)];
    const reply = await this.#connection.evaluate(
      SHARE_SCRIPT,
      [`${prefix}done`, `${prefix}claims`],
      [operation, this.#owner, ...times, ...ids],
    );
    const results: unknown[] = Array.isArray(reply) ? reply : [];
    return ids.map((_, at) => {
      const result = RESULTS.find((known) => known === results[at]);
      if (result === undefined) throw unexpectedReply('not the result of a claim');
      return result;
    });
  }
}
