/**
 * The one script of the ledger on the server: in one round trip it registers the process, reads the server's clock, and
 * stores a new state where the caller has seen the latest one; otherwise it returns that. All rules are the caller's.
 */
import { isRecord, parseJson } from '../../core/json.js';
import { MAX_TIME_MS } from '../ledger-record.js';
import { redisScript } from './redis-connection.js';
import { unexpectedReply } from './redis-failure.js';

/** Another version may have other rules or keys: both together would exceed the limits. */
const LEDGER_VERSION = '1';
/** Braces: all keys are in the same slot. */
export const LEDGER_KEYS: readonly string[] = [
  'tankobon:{ledger}:version',
  `tankobon:{ledger}:${LEDGER_VERSION}:state`,
  `tankobon:{ledger}:${LEDGER_VERSION}:processes`,
];

/** Longer than a ban is remembered, and longer than the pause between monthly runs. */
const STATE_LIFETIME_MS = 35 * 24 * 60 * 60_000;
/** A process that was silent for this long counts as gone. */
export const PROCESS_LIFETIME_MS = 15_000;

export const LEDGER_SCRIPT = redisScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local version = redis.call('GET', KEYS[1])
if version and version ~= ARGV[1] then return {'version', version} end
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local id, info, registration = ARGV[2], ARGV[3], ARGV[4]
if registration == 'register' then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[10])
  redis.call('HSET', KEYS[3], id, string.format('%.0f', now + ARGV[5]) .. ' ' .. info)
  redis.call('PEXPIRE', KEYS[3], ARGV[5])
elseif registration == 'unregister' then
  redis.call('HDEL', KEYS[3], id)
end
local processes = {}
local all = redis.call('HGETALL', KEYS[3])
for at = 1, #all, 2 do
  local expiry, text = string.match(all[at + 1], '^(%d+) (.*)$')
  if expiry and tonumber(expiry) > now then
    processes[#processes + 1] = all[at]
    processes[#processes + 1] = text
  elseif registration == 'register' then
    redis.call('HDEL', KEYS[3], all[at])
  end
end
local token = redis.call('HGET', KEYS[2], 'token') or ''
if token == ARGV[6] and run == ARGV[7] then
  if ARGV[8] ~= '' then
    redis.call('HSET', KEYS[2], 'token', ARGV[8], 'text', ARGV[9])
    redis.call('PEXPIRE', KEYS[2], ARGV[10])
  end
  return {'current', time[1], time[2], run, processes}
end
return {'stale', time[1], time[2], run, processes, token, redis.call('HGET', KEYS[2], 'text') or ''}
`);

/** The state as one process has seen it. */
export interface Snapshot {
  /** Drawn for each write. Empty: nothing is stored. */
  readonly token: string;
  readonly text: string;
  /** The run of the server: another one after each start. */
  readonly run: string;
}

export interface ProcessInfo {
  readonly host: string;
  readonly pid: number;
}

export interface ScriptCall {
  readonly id: string;
  readonly info: ProcessInfo;
  readonly registration: 'register' | 'unregister' | 'none';
  /** What the caller has seen. Without it, the reply has the state. */
  readonly seen?: Snapshot | undefined;
  /** Stored if the caller has seen the latest state. */
  readonly next?: { readonly token: string; readonly text: string } | undefined;
}

export interface ScriptReply {
  /** By the server's clock, in ms since the epoch. */
  readonly serverMs: number;
  /** Those that are alive. */
  readonly processes: ReadonlyMap<string, ProcessInfo>;
  /** Absent: the caller has seen the latest state, and its own is stored. */
  readonly latest?: Snapshot;
}

export function scriptArgs({ id, info, registration, seen, next }: ScriptCall): readonly string[] {
  return [
    LEDGER_VERSION,
    id,
    JSON.stringify(info),
    registration,
    String(PROCESS_LIFETIME_MS),
    seen?.token ?? 'none',
    seen?.run ?? '',
    next?.token ?? '',
    next?.text ?? '',
    String(STATE_LIFETIME_MS),
  ];
}

/** Throws RedisFailure for a reply of another version, or of another shape. */
export function readReply(reply: unknown): ScriptReply {
  if (!Array.isArray(reply)) throw unexpectedReply('not a list');
  const [kind, seconds, microseconds, run, processes, token, text] = reply as unknown[];
  if (kind === 'version') {
    throw unexpectedReply('another version of tankobon uses this ledger');
  }
  const serverMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000;
  const isTime = serverMs > 0 && serverMs < MAX_TIME_MS;
  if ((kind !== 'current' && kind !== 'stale') || !isTime) {
    throw unexpectedReply('not what the script returns');
  }
  if (typeof run !== 'string' || !/^\w{12,64}$/.test(run)) throw unexpectedReply('no run id');
  const alive = readProcesses(processes);
  if (kind === 'current') return { serverMs, processes: alive };
  if (typeof token !== 'string' || typeof text !== 'string') throw unexpectedReply('no state');
  return { serverMs, processes: alive, latest: { token, text, run } };
}

function readProcesses(list: unknown): ReadonlyMap<string, ProcessInfo> {
  if (!Array.isArray(list)) throw unexpectedReply('no list of processes');
  const found = new Map<string, ProcessInfo>();
  for (let at = 0; at + 1 < list.length; at += 2) {
    const id: unknown = list[at];
    const text: unknown = list[at + 1];
    const info = typeof text === 'string' ? parseJson(text) : undefined;
    const { host, pid } = isRecord(info) ? info : {};
    // The host is shown on terminals.
    const isHost = typeof host === 'string' && /^[\w.-]{1,64}$/.test(host);
    if (typeof id !== 'string' || !isHost || typeof pid !== 'number') {
      throw unexpectedReply('not a process');
    }
    found.set(id, { host, pid });
  }
  return found;
}
