/**
 * The ledger on a Redis or Valkey server, for several machines. A transaction works on the document that this process
 * has seen last, and is stored if that is still the latest one; otherwise it runs again. While the server cannot be
 * used, transactions wait, so that nothing is sent.
 */
import { randomBytes } from 'node:crypto';
import { momentOf, type Clock, type Moment } from '../../core/clock.js';
import { formatLocalTime } from '../../core/human-format.js';
import {
  contentOf,
  parseDocument,
  serializeDocument,
  type LedgerDocument,
} from '../ledger-document.js';
import { LedgerHistory, type OpenedDocument, type Reading } from '../ledger-history.js';
import type { LedgerRules } from '../ledger-rules.js';
import type { Change, LedgerStore, StoreWait, Transaction } from '../ledger-store.js';
import {
  LEDGER_KEYS,
  LEDGER_SCRIPT,
  readReply,
  scriptArgs,
  type ScriptCall,
  type ScriptReply,
  type Snapshot,
} from './ledger-script.js';
import type { ScriptRunner } from './redis-connection.js';
import { RedisFailure, unexpectedReply } from './redis-failure.js';
import { estimateServerTime, MAX_LATE_MS, type TimeReply } from './server-time.js';
import { ServerOutage, type ServerOutageOptions } from './server-outage.js';

export interface RedisStoreOptions extends ServerOutageOptions {
  readonly runner: ScriptRunner;
  readonly clock: Clock;
  /** The name of this machine, shown on other machines. */
  readonly host: string;
  readonly warn: (message: string) => void;
  readonly rules: LedgerRules;
}

/** A document and the moment that a transaction on it takes place at. */
interface Base extends Reading {
  readonly snapshot: Snapshot;
  readonly seenMs: ReadonlyMap<string, number>;
  readonly local: { readonly sent: Moment; readonly received: Moment };
  /** How far `nowMs` may be before the real time; absent where the server has just named it. */
  readonly errorMs?: number;
}

/** The last reply. */
interface LastReply extends TimeReply {
  readonly snapshot: Snapshot;
  readonly seenMs: ReadonlyMap<string, number>;
}

/** Then other processes go first for a moment. */
const MAX_CONFLICTS = 20;

export class RedisStore implements LedgerStore {
  readonly processId: string;
  readonly isOnServer = true;
  readonly #history: LedgerHistory;
  readonly #outage: ServerOutage;
  #run = '';
  #last: LastReply | undefined;
  #isWaiting = false;
  #hasWarned = false;

  constructor(private readonly options: RedisStoreOptions) {
    const { host, rules } = options;
    this.processId = `${host}-${process.pid}-${randomBytes(6).toString('hex')}`;
    this.#outage = new ServerOutage(options);
    this.#history = new LedgerHistory({ boot: () => this.#run, host, rules, isOnServer: true });
  }

  transaction<T extends Change>(
    change: (transaction: Transaction) => T,
    onWait?: (wait: StoreWait) => void,
  ): Promise<{ readonly result: T; readonly moment: Moment }> {
    return this.#outage.retry(() => this.#attempt(change), onWait);
  }

  async peek(): Promise<Transaction> {
    const { host, rules } = this.options;
    try {
      const { serverMs: nowMs, latest, seenMs } = await this.#call({ role: 'none' });
      if (!latest) throw unexpectedReply('no document');
      const reading = { nowMs, wallMs: nowMs };
      const isOnServer = true;
      const boot = () => latest.run;
      const history = new LedgerHistory({ boot, host, rules, isOnServer });
      const { document } = history.open(documentOf(latest), reading, false) as OpenedDocument;
      return { document, seenMs, rules, ...reading };
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

  async #attempt<T extends Change>(change: (transaction: Transaction) => T) {
    let base = this.#estimate();
    for (let conflicts = 0; conflicts < MAX_CONFLICTS;) {
      base ??= await this.#read();
      const { opened, result, isChanged } = this.#apply(base, change);
      const { document } = opened;
      const moment = base.local.sent;
      if (!isChanged) {
        if (base.errorMs === undefined) return this.#finish(opened, result, moment);
        base = undefined;
        continue;
      }
      this.#history.stamp(document, base);
      const next = await this.#store(base, document);
      if (!next) return this.#finish(opened, result, moment);
      base = next;
      conflicts += 1;
    }
    throw new RedisFailure('other processes keep changing it', true);
  }

  #apply<T extends Change>(base: Base, change: (transaction: Transaction) => T) {
    const { snapshot, seenMs, nowMs, wallMs, local, errorMs = 0 } = base;
    this.#run = snapshot.run;
    const reading = { nowMs, wallMs, local };
    const opened = this.#history.open(documentOf(snapshot), reading, false) as OpenedDocument;
    const { document, loss } = opened;
    const before = contentOf(document, nowMs);
    const rules = { ...this.options.rules, clockErrorMs: errorMs };
    const result = change({ document, ...reading, rules, seenMs });
    const isChanged = loss !== undefined || contentOf(document, nowMs) !== before;
    return { opened, result, isChanged };
  }

  #finish<T extends Change>({ document, loss }: OpenedDocument, result: T, moment: Moment) {
    this.#history.remember(document);
    this.#isWaiting = this.#isWaitingIn(document);
    // When other processes looked is known only from the server.
    if (document.tickets.some(({ processId }) => processId !== this.processId))
      this.#last = undefined;
    this.#warnOfUnknownUse(
      document,
      loss ?? (result.isLost ? 'was replaced by a different or older one' : undefined),
    );
    return { result, moment };
  }

  #isWaitingIn({ tickets }: LedgerDocument): boolean {
    return tickets.some(({ processId }) => processId === this.processId);
  }

  /** The document that this process has stored or seen last, at a time that is not after the server's. */
  #estimate(): Base | undefined {
    const local = momentOf(this.options.clock);
    const time = this.#last && estimateServerTime(this.#last, local);
    const moments = { sent: local, received: local };
    return this.#last && time && { ...this.#last, ...time, wallMs: time.nowMs, local: moments };
  }

  async #read(): Promise<Base> {
    const sent = momentOf(this.options.clock);
    const reply = await this.#call({ role: this.#isWaiting ? 'waiting' : 'idle' });
    return baseOf(reply, { sent, received: momentOf(this.options.clock) });
  }

  /** Resolves with the latest document if that is another one than the base. */
  async #store(
    { snapshot: seen, nowMs, errorMs }: Base,
    document: LedgerDocument,
  ): Promise<Base | undefined> {
    const sent = momentOf(this.options.clock);
    const token = randomBytes(8).toString('hex');
    const text = serializeDocument(document);
    const maxMs = errorMs === undefined ? undefined : nowMs + MAX_LATE_MS;
    const reply = await this.#call({
      role: this.#isWaitingIn(document) ? 'waiting' : 'idle',
      next: { seen, token, text, minMs: nowMs, maxMs },
    });
    if (reply.latest) return baseOf(reply, { sent, received: momentOf(this.options.clock) });
    if (this.#last) this.#last = { ...this.#last, snapshot: { token, text, run: reply.run } };
    return undefined;
  }

  async #call(call: Omit<ScriptCall, 'id'>): Promise<ScriptReply> {
    const { runner, clock } = this.options;
    const known = this.#last?.snapshot;
    this.#last = undefined;
    const sentMs = clock.monotonicMs();
    const args = scriptArgs({ ...call, id: this.processId });
    const reply = readReply(await runner.evaluate(LEDGER_SCRIPT, LEDGER_KEYS, args));
    const received = momentOf(clock);
    const snapshot = reply.latest ?? known;
    const { serverMs, seenMs } = reply;
    if (snapshot) {
      const roundTripMs = received.nowMs - sentMs;
      this.#last = { snapshot, seenMs, serverMs, received, roundTripMs };
    }
    return reply;
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

function baseOf({ serverMs, seenMs, latest }: ScriptReply, local: Base['local']): Base {
  if (!latest) throw unexpectedReply('no document');
  return { snapshot: latest, seenMs, nowMs: serverMs, wallMs: serverMs, local };
}
