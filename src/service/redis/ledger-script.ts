/**
 * The one script of the ledger on the server: in one round trip it reads the server's clock, renews the tickets of the
 * process, and stores a document where the caller has seen the latest one; otherwise it returns that. The rules are the
 * caller's.
 */
import { LEDGER_VERSION, MAX_DOCUMENT_BYTES } from '../permits/ledger-document.js';
import { TICKET_LIFETIME_MS } from '../permits/ledger-rules.js';
import { unexpectedReply } from './redis-failure.js';

/** Braces: all keys are in the same slot. */
export const LEDGER_KEYS: readonly string[] = [
  'tankobon:{ledger}:version',
  `tankobon:{ledger}:${LEDGER_VERSION}:document`,
  `tankobon:{ledger}:${LEDGER_VERSION}:seen`,
];

/** Longer than a ban is remembered, and longer than the pause between monthly runs. */
const LIFETIME_MS = 35 * 24 * 60 * 60_000;
/** Bounds a reply, whatever others have stored. */
const MAX_PROCESSES = 1_000;
const MAX_ID_BYTES = 100;
const MAX_SERVER_MS = 9e15;

export const LEDGER_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local version = redis.call('GET', KEYS[1])
if version and version ~= ARGV[1] then return {'version'} end
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local id, role = ARGV[2], ARGV[3]
if role == 'waiting' then
  redis.call('HSET', KEYS[3], id, string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[3], ARGV[4])
elseif role == 'idle' then
  redis.call('HDEL', KEYS[3], id)
end
local seen = {}
if redis.call('HLEN', KEYS[3]) <= ${MAX_PROCESSES} then
  local all = redis.call('HGETALL', KEYS[3])
  for at = 1, #all, 2 do
    local ms = tonumber(all[at + 1])
    if ms and now - ms < tonumber(ARGV[4]) and #all[at] <= ${MAX_ID_BYTES} then
      seen[#seen + 1] = all[at]
      seen[#seen + 1] = string.format('%.0f', ms)
    elseif role ~= 'none' then
      redis.call('HDEL', KEYS[3], all[at])
    end
  end
elseif role ~= 'none' then
  redis.call('DEL', KEYS[3])
end
local token = redis.call('HGET', KEYS[2], 'token') or ''
if #token > ${MAX_ID_BYTES} then token = '' end
if ARGV[8] ~= '' and token == ARGV[5] and run == ARGV[6] then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[9])
  redis.call('HSET', KEYS[2], 'token', ARGV[7], 'text', ARGV[8])
  redis.call('PEXPIRE', KEYS[2], ARGV[9])
  return {'stored'}
end
local text = 'too large'
if redis.call('HSTRLEN', KEYS[2], 'text') <= ${MAX_DOCUMENT_BYTES} then
  text = redis.call('HGET', KEYS[2], 'text') or ''
end
return {'stale', time[1], time[2], run, seen, token, text}
`;

/** The document as one process has seen it. */
export interface Snapshot {
  /** Drawn for each write. Empty: nothing is stored. */
  readonly token: string;
  readonly text: string;
  /** The run of the server: another one after each start. */
  readonly run: string;
}

export interface ScriptCall {
  readonly id: string;
  /** `none` changes nothing. */
  readonly role: 'waiting' | 'idle' | 'none';
  /** Stored if `seen` is the latest. */
  readonly next?: { readonly seen: Snapshot; readonly token: string; readonly text: string };
}

interface ScriptReply {
  readonly snapshot: Snapshot;
  /** By the server's clock, in ms since the epoch. */
  readonly serverMs: number;
  /** When each waiting process looked last. */
  readonly seenMs: ReadonlyMap<string, number>;
}

export function scriptArgs({ id, role, next }: ScriptCall): readonly string[] {
  const { seen, token = '', text = '' } = next ?? {};
  const caller = [String(LEDGER_VERSION), id, role, String(TICKET_LIFETIME_MS)];
  return [...caller, seen?.token ?? '', seen?.run ?? '', token, text, String(LIFETIME_MS)];
}

/** Undefined: `next` is stored. Throws RedisFailure for a reply of another version, or of another shape. */
export function readReply(reply: unknown): ScriptReply | undefined {
  if (!Array.isArray(reply)) throw unexpectedReply('not a list');
  const [kind, seconds, microseconds, run, seen, token, text] = reply as unknown[];
  if (kind === 'stored') return undefined;
  if (kind === 'version') {
    throw unexpectedReply('another version of tankobon uses this ledger');
  }
  const serverMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000;
  const isTime = serverMs > 0 && serverMs < MAX_SERVER_MS;
  if (kind !== 'stale' || !isTime) throw unexpectedReply('not what the script returns');
  if (typeof run !== 'string' || !/^\w{12,64}$/.test(run)) throw unexpectedReply('no run id');
  if (typeof token !== 'string' || typeof text !== 'string') throw unexpectedReply('no document');
  return { snapshot: { token, text, run }, serverMs, seenMs: readSeen(seen) };
}

function readSeen(list: unknown): ReadonlyMap<string, number> {
  if (!Array.isArray(list)) throw unexpectedReply('no list of processes');
  const seenMs = new Map<string, number>();
  for (let at = 0; at + 1 < list.length; at += 2) {
    seenMs.set(String(list[at]), Number(list[at + 1]));
  }
  return seenMs;
}
