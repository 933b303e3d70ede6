/** Machines that divide one list of chapters: each with a home and an output folder of its own, and one ledger server. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { generateChapter } from '../../src/practice-server/library/library.js';
import { resetRedisLedger } from '../../src/rate-limit/redis/redis-ledger.js';
import { start, type Running } from './command.js';
import { startRedis, type RedisProcess } from './redis-process.js';

export class SharedBatch {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tankobon-share-'));

  private constructor(
    readonly service: PracticeService,
    readonly redis: RedisProcess,
    readonly ids: readonly string[],
  ) {}

  static async start(chapters: number): Promise<SharedBatch> {
    const all = Array.from({ length: chapters }, (_, index) =>
      generateChapter({
        id: `0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f${String(index).padStart(4, '0')}`,
        pages: 2,
        bytesPerPage: 2_000,
        seed: index + 1,
      }),
    );
    const service = await startPracticeService({ chapters: all, latencyMs: { node: 100 } });
    const redis = await startRedis();
    // The first use of a ledger costs a minute.
    await resetRedisLedger({
      server: { url: new URL(redis.url) },
      clock: systemClock,
      warn: () => undefined,
    });
    return new SharedBatch(
      service,
      redis,
      all.map(({ id }) => id),
    );
  }

  /** Starts `download --share` on a machine. */
  run(machine: number): Running {
    const words = ['download', '--share', 'list', '--no-metadata', '--json'];
    return start([...words, '--output', this.#output(machine), ...this.ids], {
      env: {
        ...this.service.environment,
        TANKOBON_HOME: join(this.#folder, `home-${machine}`),
        TANKOBON_LEDGER: this.redis.url,
      },
    });
  }

  /** The chapters that a machine has saved. */
  saved(machine: number): string[] {
    return readdirSync(this.#output(machine)).filter((name) => name.endsWith('.cbz'));
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.redis.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #output(machine: number): string {
    return join(this.#folder, `output-${machine}`);
  }
}
