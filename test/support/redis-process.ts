/** A Redis or Valkey server of its own: on loopback, at a free port, with its files in a folder that goes with it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/core/clock.js';
import { resetLedgerAt } from '../../src/service/ledger.js';

export type RedisProgram = 'redis-server' | 'valkey-server';

export interface RedisProcess {
  readonly port: number;
  readonly url: string;
  /** Sends a signal, such as SIGSTOP. */
  signal(name: NodeJS.Signals): void;
  /** Kills the server; its data are gone, unless it was started with other arguments. */
  kill(): Promise<void>;
  /** Starts it again at the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const WITHOUT_PERSISTENCE = ['--save', '', '--appendonly', 'no'];

export async function startRedis(
  args: readonly string[] = [],
  program: RedisProgram = 'redis-server',
  address?: { readonly host: string; readonly port: number },
): Promise<RedisProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-redis-'));
  const { host, port } = address ?? { host: '127.0.0.1', port: await freePort() };
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const own = ['--port', String(port), '--bind', host, '--dir', folder];
    child = spawn(program, [...own, ...WITHOUT_PERSISTENCE, ...args], { stdio: 'ignore' });
    while (!(await accepts(host, port))) {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}.`);
      await delay(10);
    }
  };
  const kill = async (): Promise<void> => {
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    port,
    url: `redis://${host}:${port}/0`,
    signal: (name) => child?.kill(name),
    kill,
    start,
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Pretends that the ledger was used before: at the first use, all limits count as used up for more than a minute. */
export function resetLedgerOf({ url }: RedisProcess): Promise<void> {
  const location = { server: { url: new URL(url) } };
  return resetLedgerAt({ location, clock: systemClock, warn: () => undefined });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
