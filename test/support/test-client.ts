/** A client of a stand-in, with a ledger of its own in a folder that goes when the test is over. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redactor } from '../../src/core/redactor.js';
import { systemClock } from '../../src/core/clock.js';
import { createServiceClient, type ClientDeps } from '../../src/service/client.js';
import { openConnections, type TimeLimits } from '../../src/service/requests/connections.js';
import { openLedger } from '../../src/service/ledger.js';
import { firstPartyDomain } from '../../src/service/requests/first-party-domain.js';
import type { RateLedger, Wait } from '../../src/service/permits/rate-ledger.js';
import type { StubServer } from './stub-server.js';
import type { ServiceClient } from '../../src/service/client.js';
import type { Connections } from '../../src/service/requests/connections.js';

/** Longer than a busy machine takes. */
export const LIMITS: TimeLimits = {
  connectTimeoutMs: 20_000,
  tlsTimeoutMs: 20_000,
  firstByteTimeoutMs: 20_000,
  idleTimeoutMs: 20_000,
  pageTimeoutMs: 30_000,
  apiTimeoutMs: 30_000,
  reportTimeoutMs: 20_000,
};

export interface TestClient {
  readonly client: ServiceClient;
  readonly connections: Connections;
  readonly ledger: RateLedger;
  readonly folder: string;
  readonly waits: Wait[];
  readonly warnings: string[];
  close(): Promise<void>;
}

export interface TestClientOptions extends Partial<ClientDeps> {
  readonly limits?: Partial<TimeLimits>;
  /** A folder that outlives the client; without it, a fresh one. */
  readonly folder?: string;
}

export function ledgerFolder(): string {
  return mkdtempSync(join(tmpdir(), 'tankobon-ledger-'));
}

export async function createTestClient(
  { addresses }: Pick<StubServer, 'addresses'>,
  { limits, folder: given, ...parts }: TestClientOptions = {},
): Promise<TestClient> {
  const folder = given ?? ledgerFolder();
  const waits: Wait[] = [];
  const warnings: string[] = [];
  const clock = parts.clock ?? systemClock;
  const connections = await openConnections({ ...LIMITS, ...limits }, process.env, addresses);
  const ledger = await openLedger({
    location: { folder },
    addresses,
    clock,
    warn: (text) => warnings.push(text),
    periodScale: { general: 0.02, endpoint: 0.002 },
  });
  const client = createServiceClient({
    addresses,
    isFirstParty: firstPartyDomain(addresses.apiUrl),
    connections,
    ledger,
    clock,
    redactor: new Redactor(),
    // The shortest pauses that the policy draws.
    random: () => 0,
    onWait: (wait) => waits.push(wait),
    ...parts,
  });
  return {
    client,
    connections,
    ledger,
    folder,
    waits,
    warnings,
    async close() {
      connections.close();
      await ledger.close();
      if (given === undefined) rmSync(folder, { recursive: true });
    },
  };
}
