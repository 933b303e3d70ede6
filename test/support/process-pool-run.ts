/** Runs a process pool against a stub server, and reports what arrived there. */
import { rmSync } from 'node:fs';
import { ProcessPool, type ProcessPoolOptions, type ProcessPoolReport } from './process-pool.js';
import { ledgerFolder } from './test-client.js';
import { startStubServer, type Behaviour } from './stub-server.js';

interface PoolRun extends ProcessPoolReport {
  /** When each request arrived, in order. */
  readonly times: readonly number[];
}

type PoolRunOptions = Omit<ProcessPoolOptions, 'url' | 'folder'> & {
  /** The ledger's folder, removed at the end. Default: a new one. */
  readonly folder?: string;
  readonly requests: number;
  readonly behaviour?: Behaviour;
  /** Called when the requests have started; the returned function is called at the end. */
  readonly during?: (pool: ProcessPool, folder: string) => () => void;
};

export async function runPool({
  requests,
  behaviour,
  during,
  ...options
}: PoolRunOptions): Promise<PoolRun> {
  const service = await startStubServer({ latencyMs: 20 });
  if (behaviour) service.behave(behaviour);
  const { folder = ledgerFolder() } = options;
  const pool = new ProcessPool({ ...options, url: service.url, folder });
  let end: (() => void) | undefined;
  try {
    await pool.startAll();
    const calls = pool.call(requests);
    end = during?.(pool, folder);
    await calls;
  } finally {
    end?.();
    await pool.stopAll();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const times = service.requests.map(({ atMs }) => atMs).sort((a, b) => a - b);
  return { times, ...pool.report() };
}
