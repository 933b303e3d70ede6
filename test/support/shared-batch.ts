/** Machines that divide one list of chapters: each with a home and an output folder of its own, and one ledger server. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { generateChapter, type Library } from '../../src/practice-server/library/library.js';
import { start, type Running } from './command.js';
import { resetLedgerOf, startRedis, type RedisProcess } from './redis-process.js';

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
    return SharedBatch.#with(
      service,
      all.map(({ id }) => id),
    );
  }

  /** For subscriptions. Slow, so that a machine that starts late still finds something to do. */
  static async startWith(library: Library): Promise<SharedBatch> {
    return SharedBatch.#with(
      await startPracticeService({ library, latencyMs: { node: 1_500 } }),
      library.chapters().map(({ id }) => id),
    );
  }

  static async #with(service: PracticeService, ids: readonly string[]): Promise<SharedBatch> {
    const redis = await startRedis();
    await resetLedgerOf(redis);
    return new SharedBatch(service, redis, ids);
  }

  /** Starts `download --share` on a machine. */
  run(machine: number): Running {
    const words = ['download', '--share', 'list', '--no-metadata', '--json'];
    return this.#start(machine, [...words, '--output', this.#output(machine), ...this.ids]);
  }

  /** Starts `sync --share` on a machine that is subscribed to these titles; `folder`: the machine whose folder it uses. */
  sync(machine: number, titleIds: readonly string[], folder = machine): Running {
    mkdirSync(this.#home(machine), { recursive: true });
    const output = JSON.stringify(this.#output(folder));
    const series = titleIds.map((id) => `{ target: title:${id} }`).join(', ');
    const subscriptions = `defaults: { output: ${output} }\nseries: [${series}]\n`;
    writeFileSync(join(this.#home(machine), 'subscriptions.yaml'), subscriptions);
    return this.#start(machine, ['sync', '--share', 'list', '--json']);
  }

  /** The chapters that a machine has saved. */
  saved(machine: number): string[] {
    const output = this.#output(machine);
    if (!existsSync(output)) return [];
    const files = readdirSync(output, { recursive: true, encoding: 'utf8' });
    return files.filter((file) => file.endsWith('.cbz')).map((file) => basename(file));
  }

  /** The server loses its data, as after a move to another one. */
  async emptyServer(): Promise<void> {
    await this.redis.kill();
    await this.redis.start();
    await resetLedgerOf(this.redis);
  }

  /** Moves the chapters of a machine away. */
  /** Removes what was saved; a note of the owner stays, since an empty folder counts as one that is not mounted. */
  clear(machine: number): void {
    rmSync(this.#output(machine), { recursive: true });
    mkdirSync(this.#output(machine));
    writeFileSync(join(this.#output(machine), 'note.txt'), 'on the shelf');
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.redis.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #start(machine: number, words: readonly string[]): Running {
    return start(words, {
      env: {
        ...this.service.environment,
        TANKOBON_HOME: this.#home(machine),
        TANKOBON_LEDGER: this.redis.url,
      },
    });
  }

  #home(machine: number): string {
    return join(this.#folder, `home-${machine}`);
  }

  #output(machine: number): string {
    return join(this.#folder, `output-${machine}`);
  }
}
