/**
 * What one process knows of the ledger's document, to decide whether the one that it finds continues it: it may be new,
 * lost, of an earlier boot, or in use by another machine. Pure, but for what it remembers.
 */
import type { Moment } from '../../core/clock.js';
import { emptyDocument, type LedgerDocument, type Use } from './ledger-document.js';
import { isUnderWay, markUnknown, type LedgerRules } from './ledger-rules.js';
import { movePause } from './pause.js';

/** What is stored: a document, something else, or nothing. */
export type FoundDocument = LedgerDocument | 'damaged' | undefined;

/** A moment by the clock of the document. */
export interface Reading extends Moment {
  /** The boot of the machine, or the run of the server. */
  readonly boot: string;
  /** By the local clocks, where the document has a server's: when it was asked, and when it had replied. */
  readonly local?: { readonly sent: Moment; readonly received: Moment };
}

/** The document to work on. */
export interface OpenedDocument {
  readonly document: LedgerDocument;
  /** Part of a sentence; undefined where nothing was lost. */
  readonly loss?: string | undefined;
}

/** Another machine uses the document. */
interface WatchedDocument {
  readonly usedBy: LedgerDocument;
}

interface HistoryOptions {
  /** The ids of the requests of this process begin with it and a hyphen. */
  readonly processId: string;
  readonly host: string;
  readonly rules: LedgerRules;
}

/** Two readings of one monotonic clock may differ by this much between processors. */
const MAX_CLOCK_DIFFERENCE_MS = 1_000;
/** A server's clock that went back by less was read by another processor. */
const MAX_STEP_BACK_MS = 50;
/** A server's clock may run this much faster than ours. */
const MAX_DRIFT = 1.001;
const MAX_STEP_AHEAD_MS = 1_000;

export class LedgerHistory {
  /** The revision that this process has stored or seen last. */
  #revision: number | undefined;
  /** The uses of this process that the document must know while their requests are under way. */
  #ownUses: readonly Use[] = [];
  #watched: { readonly revision: number; readonly boot: string; sinceMs: number } | undefined;
  #lastReading: Reading | undefined;

  constructor(private readonly options: HistoryOptions) {}

  /** @param isNew whether nothing shows that there was an earlier document */
  open(found: FoundDocument, reading: Reading, isNew: boolean): OpenedDocument | WatchedDocument {
    const isOnServer = reading.local !== undefined;
    if (found === undefined || found === 'damaged') return this.#create(found, reading, isNew);
    if (found.boot !== reading.boot) {
      const isInUse = !isOnServer && this.#isInUseElsewhere(found, reading);
      return isInUse ? { usedBy: found } : this.#takeOver(found, reading);
    }
    this.#watched = undefined;
    const { nowMs } = reading;
    // The monotonic clock starts anew with each boot, and not every system has a boot id.
    if (!isOnServer && found.writtenMs > nowMs + MAX_CLOCK_DIFFERENCE_MS) {
      return this.#takeOver(found, reading);
    }
    const isStepped = isOnServer && this.#isStepped(found, reading);
    this.#lastReading = reading;
    if (isStepped && nowMs < found.writtenMs) {
      Object.assign(found, movePause(found, { ...found, passedMs: 0, nowMs }));
    }
    const isReplaced = found.revision < (this.#revision ?? 0) || this.#lacksOwnUses(found, nowMs);
    if (!isStepped && !isReplaced) return { document: found };
    markUnknown(found, nowMs, this.options.rules);
    found.revision = Math.max(found.revision, this.#revision ?? 0);
    const loss = isReplaced
      ? 'was replaced by a different or older one'
      : 'is on a server whose clock was changed';
    return { document: found, loss };
  }

  /** Numbers and dates the document before it is stored. */
  stamp(document: LedgerDocument, { nowMs, wallMs }: Reading): void {
    document.revision += 1;
    document.writtenMs = nowMs;
    document.wallMs = wallMs;
    document.host = this.options.host;
  }

  /** Called when the document was stored, or was seen and needs no change. */
  remember({ revision, uses }: LedgerDocument): void {
    this.#revision = revision;
    const own = uses.filter(({ id }) => id.startsWith(`${this.options.processId}-`));
    this.#ownUses = own.map((use) => ({ ...use }));
  }

  /** Called before the end of a request is recorded: this process may not learn that a transaction has succeeded. */
  forget(requestId: string): void {
    this.#ownUses = this.#ownUses.filter(({ id }) => id !== requestId);
  }

  #lacksOwnUses({ uses }: LedgerDocument, nowMs: number): boolean {
    return this.#ownUses.some(
      (own) => isUnderWay(own, nowMs, this.options.rules) && !uses.some(({ id }) => id === own.id),
    );
  }

  #create(found: 'damaged' | undefined, reading: Reading, isNew: boolean): OpenedDocument {
    const document = emptyDocument(reading.boot, this.#revision);
    const hasSeenOne = this.#revision !== undefined;
    if (found === undefined && isNew && !hasSeenOne) return { document };
    markUnknown(document, reading.nowMs, this.options.rules);
    if (found === 'damaged') return { document, loss: 'was damaged' };
    const isFirstUse = reading.local !== undefined && !hasSeenOne;
    const loss = isFirstUse
      ? 'is empty, as at its first use or after its data were lost'
      : 'has disappeared';
    return { document, loss };
  }

  /** Whether the document was written since this kernel started, and has changed in the life of a request. */
  #isInUseElsewhere(found: LedgerDocument, { nowMs, wallMs }: Reading): boolean {
    const isOfEarlierBoot = found.wallMs <= wallMs - nowMs;
    if (isOfEarlierBoot) return false;
    const { revision, boot } = found;
    if (this.#watched?.revision !== revision || this.#watched.boot !== boot) {
      this.#watched = { revision, boot, sinceMs: nowMs };
    }
    return nowMs - this.#watched.sinceMs < this.options.rules.maxRequestMs;
  }

  /** A document by another clock: earlier use counts as used now, and only a pause is kept. */
  #takeOver(found: LedgerDocument, reading: Reading): OpenedDocument {
    const { nowMs, wallMs, boot, local } = reading;
    const document = emptyDocument(boot, Math.max(found.revision, this.#revision ?? 0));
    const passedMs = local ? 0 : Math.max(0, wallMs - found.wallMs);
    const { writtenMs } = found;
    Object.assign(document, movePause(found, { writtenMs, passedMs, nowMs }));
    this.#watched = undefined;
    this.#lastReading = reading;
    if (local) {
      // The latest writes before the restart may be missing.
      markUnknown(document, nowMs, this.options.rules);
      return { document, loss: 'is on a server that was started again' };
    }
    document.unknownMs = nowMs;
    return { document };
  }

  /** Whether the server's clock went back, or ahead faster than both local clocks: a laptop's may sleep. */
  #isStepped(found: LedgerDocument, { nowMs, local }: Reading): boolean {
    if (nowMs < found.writtenMs - MAX_STEP_BACK_MS) return true;
    const last = this.#lastReading;
    if (!local || !last?.local) return false;
    const passedMs = nowMs - last.nowMs;
    // A reply may take long: this is the most that can have passed.
    const { sent } = last.local;
    const { received } = local;
    const localMs = Math.max(received.nowMs - sent.nowMs, received.wallMs - sent.wallMs);
    return passedMs > localMs * MAX_DRIFT + MAX_STEP_AHEAD_MS;
  }
}
