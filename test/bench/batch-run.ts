/**
 * Very many chapters in this process: the parts that `tankobon download` is made of, put together with a clock
 * and a scale of the quotas' periods of our own, and with a ledger whose work is counted.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redactor } from '../../src/core/redactor.js';
import { loadSettings } from '../../src/config/settings.js';
import { createLibrary } from '../../src/practice-server/library/library.js';
import { generateChapter } from '../../src/practice-server/library/generated-chapter.js';
import type { LogEntry } from '../../src/practice-server/request-log.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { saveChapters } from '../../src/download/save/batch.js';
import type { Observe } from '../../src/events/download-events.js';
import { PageQueue } from '../../src/download/save/page-queue.js';
import type { Clock } from '../../src/core/clock.js';
import { readAddresses } from '../../src/config/service-addresses.js';
import { createServiceClient } from '../../src/service/client.js';
import { openConnections } from '../../src/service/requests/connections.js';
import { currentBoot } from '../../src/service/permits/boot.js';
import { FileStore } from '../../src/service/permits/file-store.js';
import { MAX_REQUEST_MS } from '../../src/service/permits/ledger-rules.js';
import type { LedgerStore } from '../../src/service/permits/ledger-store.js';
import { quotaKeysOf, quotaOf } from '../../src/service/quotas.js';
import { firstPartyDomain } from '../../src/service/requests/first-party-domain.js';
import { SharedLedger } from '../../src/service/permits/shared-ledger.js';

export interface BatchRunOptions {
  readonly chapters: number;
  readonly pagesEach: number;
  readonly clock: Clock;
  /** The endpoints' periods times this, on both sides; the general limit's second stays. */
  readonly periodScale: number;
}

export interface BatchFigures {
  /** The service's record of what arrived. */
  readonly log: readonly LogEntry[];
  /**
   * Memory that only the batch held, just before its end: what was in use then, less what is once it is over and
   * the practice service, which remembers every request, is alone. NaN where Node was started without --expose-gc.
   */
  readonly heldBytes: number;
  /** How often the ledger's file was read, changed and written, and how long that took in real time. */
  readonly transactions: number;
  readonly transactionMs: number;
}

const PAGE_BYTES = 2_000;

export async function runBatch(options: BatchRunOptions): Promise<BatchFigures> {
  const { clock, periodScale } = options;
  const chapters = Array.from({ length: options.chapters }, (_, index) =>
    generateChapter({
      pages: options.pagesEach,
      bytesPerPage: PAGE_BYTES,
      seed: index + 1,
      pageNames: 'plain',
    }),
  );
  const service = await startPracticeService({
    clock,
    library: createLibrary({ titles: [], chapters, lists: [] }),
    limits: { periodScale },
  });
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-batch-'));
  try {
    const work = new Work(options.chapters);
    await load(options, service, folder, work);
    const { transactions, transactionMs } = work;
    const heldBytes = work.usedNearEndBytes - usedBytes();
    if (service.violations().length > 0) throw new Error('The batch broke a rule of the service.');
    return { log: service.log, heldBytes, transactions, transactionMs };
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is in use when all that is not has been collected. */
function usedBytes(): number {
  if (!globalThis.gc) return NaN;
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

class Work {
  usedNearEndBytes = 0;
  transactions = 0;
  transactionMs = 0;
  #saved = 0;

  constructor(private readonly chapters: number) {}

  readonly observe: Observe = (event) => {
    if (event.type === 'chapter-failed') throw new Error(event.message);
    if (event.type !== 'chapter-saved') return;
    this.#saved += 1;
    if (this.#saved === this.chapters) this.usedNearEndBytes = usedBytes();
  };

  counted(store: LedgerStore): LedgerStore {
    const transaction = store.transaction.bind(store);
    store.transaction = async (change) => {
      const startedMs = performance.now();
      try {
        return await transaction(change);
      } finally {
        this.transactions += 1;
        this.transactionMs += performance.now() - startedMs;
      }
    };
    return store;
  }
}

async function load(
  options: BatchRunOptions,
  service: PracticeService,
  folder: string,
  work: Work,
): Promise<void> {
  const { clock, periodScale } = options;
  const defaults = await loadSettings({}, folder);
  const addresses = readAddresses(service.addresses);
  const connections = await openConnections(defaults, process.env, addresses);
  const ledgerFolder = join(folder, 'ledger');
  const scale = { general: 1, endpoint: periodScale };
  const rules = { quotaOf: (key: string) => quotaOf(key, scale), maxRequestMs: MAX_REQUEST_MS };
  const ledger = new SharedLedger({
    store: work.counted(
      new FileStore({
        folder: ledgerFolder,
        clock,
        warn: () => undefined,
        boot: currentBoot(),
        rules,
      }),
    ),
    clock,
    rules,
    quotaKeysOf: (request) => quotaKeysOf(addresses, request),
  });
  const isFirstParty = firstPartyDomain(addresses.apiUrl);
  const redactor = new Redactor();
  const client = createServiceClient({
    addresses,
    isFirstParty,
    connections,
    ledger,
    clock,
    redactor,
  });
  let saved = 0;
  try {
    const outcome = await saveChapters(
      jobsOf(service, folder),
      {
        client,
        loader: {
          page: connections.page,
          reserve: (line, signal) => client.reserve(line, signal),
          clock,
          redactor,
          maxPageBytes: defaults.maxPageBytes,
        },
        queue: new PageQueue(defaults.concurrency),
        reports: undefined,
        isFirstParty,
        observe: (event) => {
          if (event.type === 'chapter-saved') saved += 1;
          work.observe(event);
        },
        random: Math.random,
      },
      new AbortController().signal,
    );
    if (outcome || saved !== options.chapters) throw new Error('Not every chapter was saved.');
  } finally {
    connections.close();
    await ledger.close();
  }
}

function* jobsOf({ library }: PracticeService, folder: string) {
  for (const { id } of library.chapters()) {
    const path = join(folder, `${id}.cbz`);
    const release = { id, chapter: undefined, why: '' };
    yield {
      id,
      file: path,
      change: { kind: 'save' as const, release, path, recorded: {}, betterThan: undefined },
      output: folder,
      quality: 'data' as const,
      lostPages: undefined,
      comment: '',
      describe: () => Promise.resolve({ kept: [] }),
      isForced: false,
      repairs: undefined,
      maxNameBytes: 255,
      keep: { output: folder, maxAgeMs: 0, nowMs: 0 },
    };
  }
}
