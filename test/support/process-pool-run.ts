/** Work that several processes carry out together, and what arrived at the service meanwhile. */
import { rmSync } from 'node:fs';
import { Crew, type CrewOptions } from './process-pool.js';
import { ledgerFolder } from './test-client.js';
import { startStubServer, type Behaviour } from './stub-server.js';

interface Outcome {
  /** When each request arrived, in order. */
  readonly times: readonly number[];
  readonly shares: readonly number[];
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
}

type Plan = Omit<CrewOptions, 'url' | 'folder'> & {
  /** Where the ledger is; a fresh folder where not given. Removed in the end. */
  readonly folder?: string;
  readonly requests: number;
  readonly behaviour?: Behaviour;
  /** Called once the work has begun; what it returns is called at its end. */
  readonly meanwhile?: (crew: Crew, folder: string) => () => void;
};

export async function carriedOut({
  requests,
  behaviour,
  meanwhile,
  ...plan
}: Plan): Promise<Outcome> {
  const service = await startStubServer({ latencyMs: 20 });
  if (behaviour) service.behave(behaviour);
  const { folder = ledgerFolder() } = plan;
  const crew = new Crew({ ...plan, url: service.url, folder });
  let end: (() => void) | undefined;
  try {
    await crew.muster();
    const calling = crew.call(requests);
    end = meanwhile?.(crew, folder);
    await calling;
  } finally {
    end?.();
    await crew.dismiss();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const times = service.requests.map(({ atMs }) => atMs).sort((a, b) => a - b);
  return { times, ...crew.report() };
}
