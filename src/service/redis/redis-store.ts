/**
 * The ledger on a Redis or Valkey server, for several machines. A transaction reads the document, and is stored if that
 * is still the latest one; otherwise it runs again. While the server cannot be used, transactions wait, so that nothing
 * is sent.
 */
import { randomBytes } from 'node:crypto';
import { momentOf, type Clock, type Moment } from '../../core/clock.js';
import { formatLocalTime } from '../../core/human-format.js';
import {
  contentOf,
  parseDocument,
  serializeDocument,
  type LedgerDocument,
} from '../permits/ledger-document.js';
import { LedgerHistory, type OpenedDocument, type Reading } from '../permits/ledger-history.js';
import type { LedgerRules } from '../permits/ledger-rules.js';
import type { LedgerStore, Transaction } from '../permits/ledger-store.js';
import type { Wait } from '../permits/rate-ledger.js';
import {
  LEDGER_KEYS,
  LEDGER_SCRIPT,
  readReply,
  scriptArgs,
  type ScriptCall,
  type Snapshot,
} from './ledger-script.js';
import type { ScriptRunner } from './redis-connection.js';
import { RedisFailure, unexpectedReply } from './redis-failure.js';
import { ServerOutage, type ServerOutageOptions } from './server-outage.js';

interface RedisStoreOptions extends ServerOutageOptions {
  readonly runner: ScriptRunner;
  readonly clock: Clock;
  /** The name of this machine, shown on other machines. */
  readonly host: string;
  readonly warn: (message: string) => void;
  readonly rules: LedgerRules;
}

/** The latest document, and the moment that a transaction on it takes place at. */
interface LatestDocument {
  readonly snapshot: Snapshot;
  readonly reading: Required<Reading>;
  readonly seenMs: ReadonlyMap<string, number>;
}

/** Then other processes go first for a moment. */
const MAX_CONFLICTS = 20;

export class RedisStore implements LedgerStore {
  readonly processId: string;
  readonly isOnServer = true;
  readonly #history: LedgerHistory;
  readonly #outage: ServerOutage;
  #isWaiting = false;
  #hasWarned = false;

  constructor(private readonly options: RedisStoreOptions) {
    this.processId = `${options.host}-${process.pid}-${randomBytes(6).toString('hex')}`;
    this.#outage = new ServerOutage(options);
    this.#history = this.#newHistory();
  }

  transaction<T>(
    change: (transaction: Transaction) => T,
    onWait?: (wait: Wait) => void,
  ): Promise<{ readonly result: T; readonly moment: Moment }> {
    return this.#outage.retry(() => this.#attempt(change), onWait);
  }

  forget(requestId: string): void {
    this.#history.forget(requestId);
  }

  async peek(): Promise<Transaction> {
    try {
      const { snapshot, reading, seenMs } = await this.#read('none');
      const found = documentOf(snapshot);
      const { document } = this.#newHistory().open(found, reading, false) as OpenedDocument;
      return { document, seenMs, ...reading };
    } catch (error) {
      throw error instanceof RedisFailure ? this.#outage.toStorageError(error) : error;
    }
  }

  shortenWaits(): void {
    this.#outage.close();
    this.options.runner.shortenWaits();
  }

  close(): void {
    this.options.runner.close();
  }

  #newHistory(): LedgerHistory {
    const { host, rules } = this.options;
    return new LedgerHistory({ processId: this.processId, host, rules });
  }

  async #attempt<T>(change: (transaction: Transaction) => T) {
    let base = await this.#read(this.#isWaiting ? 'waiting' : 'idle');
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const { opened, result, isChanged } = this.#apply(base, change);
      if (isChanged) this.#history.stamp(opened.document, base.reading);
      const newer = isChanged && (await this.#store(base.snapshot, opened.document));
      if (!newer) return this.#finish(opened, result, base.reading.local.sent);
      base = newer;
    }
    throw new RedisFailure('other processes keep changing it', true);
  }

  #apply<T>(
    { snapshot, reading, seenMs }: LatestDocument,
    change: (transaction: Transaction) => T,
  ) {
    const { nowMs } = reading;
    const opened = this.#history.open(documentOf(snapshot), reading, false) as OpenedDocument;
    const { document, loss } = opened;
    const before = contentOf(document, nowMs);
    const result = change({ document, ...reading, seenMs });
    const isChanged = loss !== undefined || contentOf(document, nowMs) !== before;
    return { opened, result, isChanged };
  }

  #finish<T>({ document, loss }: OpenedDocument, result: T, moment: Moment) {
    this.#history.remember(document);
    this.#isWaiting = this.#isWaitingIn(document);
    this.#warnOfUnknownUse(document, loss);
    return { result, moment };
  }

  #isWaitingIn({ tickets }: LedgerDocument): boolean {
    return tickets.some(({ processId }) => processId === this.processId);
  }

  async #read(role: ScriptCall['role']): Promise<LatestDocument> {
    const latest = await this.#call({ role });
    if (!latest) throw unexpectedReply('no document');
    return latest;
  }

  /** Resolves with the latest document if that is not the one that was `seen`. */
  #store(seen: Snapshot, document: LedgerDocument): Promise<LatestDocument | undefined> {
    const token = randomBytes(8).toString('hex');
    return this.#call({
      role: this.#isWaitingIn(document) ? 'waiting' : 'idle',
      next: { seen, token, text: serializeDocument(document) },
    });
  }

  /** Undefined: `next` is stored. */
  async #call(call: Omit<ScriptCall, 'id'>): Promise<LatestDocument | undefined> {
    const { runner, clock } = this.options;
    const sent = momentOf(clock);
    const args = scriptArgs({ ...call, id: this.processId });
    const reply = readReply(await runner.evaluate(LEDGER_SCRIPT, LEDGER_KEYS, args));
    if (!reply) return undefined;
    const { serverMs, snapshot, seenMs } = reply;
    const local = { sent, received: momentOf(clock) };
    const reading = { nowMs: serverMs, wallMs: serverMs, boot: snapshot.run, local };
    return { snapshot, seenMs, reading };
  }

  /** Warns in each process that waits, not only in the one that noticed the loss. */
  #warnOfUnknownUse({ unknownMs, writtenMs }: LedgerDocument, loss: string | undefined): void {
    const isWaitedFor = unknownMs !== undefined && (loss !== undefined || unknownMs > writtenMs);
    if (!isWaitedFor || this.#hasWarned) return;
    this.#hasWarned = true;
    const { clock, displayUrl, warn } = this.options;
    const wallMs = clock.wallMs();
    const until = formatLocalTime(wallMs + unknownMs - writtenMs, wallMs);
    warn(
      `The shared ledger at ${displayUrl} ${loss ?? 'is new or has lost its data'}; all limits count as used up until ${until}, and then for one period; if nothing was sent before, type: tankobon limits --reset --yes`,
    );
  }
}

function documentOf({ text }: Snapshot): LedgerDocument | 'damaged' | undefined {
  return text === '' ? undefined : parseDocument(text);
}
