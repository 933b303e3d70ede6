/** The practice service of one measurement: in its own process, at the far end of a line. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LimiterOptions } from '../../src/practice-server/limiter.js';
import type { LogEntry } from '../../src/practice-server/request-log.js';
import { forward, type Forwarder, type Line } from './slow-line.js';

export interface PracticeProcessOptions {
  /** The chapters; `count` of each kind, by default 1. */
  readonly chapters: readonly {
    readonly pages: number;
    readonly bytesPerPage: number;
    readonly count?: number;
  }[];
  readonly limits?: LimiterOptions;
  readonly advertisedNodes?: readonly string[];
}

export type PracticeQuestion =
  | { readonly ask: 'arrivals'; readonly sinceMs: number }
  | { readonly ask: 'report host'; readonly state: 'alive' | 'dead' };

export interface PracticeAnswer {
  readonly arrivals: readonly Pick<LogEntry, 'atMs' | 'host' | 'path' | 'status'>[];
  readonly violations: number;
  readonly reports: number;
}

interface ServerAddresses {
  readonly ports: Readonly<Record<'api' | 'auth' | 'network' | 'node', number>>;
  readonly realm: string;
  /** By kind, in the order of the options. */
  readonly chapters: readonly (readonly string[])[];
}

export class Practice {
  readonly #homes = mkdtempSync(join(tmpdir(), 'tankobon-bench-home-'));

  private constructor(
    private readonly child: ChildProcess,
    private readonly forwarders: readonly Forwarder[],
    private readonly addresses: ServerAddresses,
    private readonly near: Readonly<Record<'api' | 'auth' | 'network', number>>,
  ) {}

  /** Starts the service; with a line, its API and its node are reached through forwarders alone. */
  static async start(options: PracticeProcessOptions, line?: Line): Promise<Practice> {
    let found: (ports: ServerAddresses['ports']) => void = () => undefined;
    const ports = new Promise<ServerAddresses['ports']>((resolve) => (found = resolve));
    const way = async (host: keyof ServerAddresses['ports']): Promise<Forwarder | undefined> =>
      line &&
      forward(
        ports.then((far) => far[host]),
        line,
      );
    const [api, node, network] = [await way('api'), await way('node'), await way('network')];
    const childOptions = {
      ...options,
      ...(node && { advertisedNodes: [`http://127.0.0.1:${node.port}`] }),
    };
    const program = fileURLToPath(new URL('practice-process.js', import.meta.url));
    const child = fork(program, [JSON.stringify(childOptions)]);
    const [addresses] = (await once(child, 'message')) as [ServerAddresses];
    found(addresses.ports);
    const near = {
      ...addresses.ports,
      ...(api && { api: api.port }),
      ...(network && { network: network.port }),
    };
    const forwarders = [api, node, network].filter((one) => one !== undefined);
    return new Practice(child, forwarders, addresses, near);
  }

  /** The ids of the chapters of one kind. */
  chapters(kind = 0): readonly string[] {
    return this.addresses.chapters[kind] ?? [];
  }

  /** The address of the API at the near end of the line. */
  get apiUrl(): string {
    return `http://127.0.0.1:${this.near.api}`;
  }

  /** The API without the line: for what a measurement must know beforehand. */
  get apiUrlNearby(): string {
    return `http://127.0.0.1:${this.addresses.ports.api}`;
  }

  get environment(): Readonly<Record<string, string>> {
    return {
      TANKOBON_API_URL: this.apiUrl,
      TANKOBON_AUTH_URL: `http://127.0.0.1:${this.near.auth}`,
      TANKOBON_NETWORK_URL: `http://127.0.0.1:${this.near.network}`,
      TANKOBON_REALM: this.addresses.realm,
    };
  }

  /** The state folder of a build for the whole measurement: a user has one too, with the compiled code in it. */
  homeOf(build: string): string {
    return join(this.#homes, build);
  }

  /** What has arrived since that moment of the monotonic clock. */
  async arrivals(sinceMs: number): Promise<PracticeAnswer> {
    return this.#ask({ ask: 'arrivals', sinceMs });
  }

  async reportHost(state: 'alive' | 'dead'): Promise<void> {
    await this.#ask({ ask: 'report host', state });
  }

  async stop(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.disconnect();
    await Promise.all(this.forwarders.map((forwarder) => forwarder.close()));
    await gone;
    rmSync(this.#homes, { recursive: true, force: true });
  }

  async #ask(question: PracticeQuestion): Promise<PracticeAnswer> {
    this.child.send(question);
    const [answer] = (await once(this.child, 'message')) as [PracticeAnswer];
    return answer;
  }
}
