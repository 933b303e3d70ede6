/** One process in the simulation: the ledger's rules are the real ones, the network and the store are simulated. */
import {
  contentOf,
  parseDocument,
  serializeDocument,
  type LedgerDocument,
} from '../../../src/service/permits/ledger-document.js';
import {
  LedgerHistory,
  type FoundDocument,
  type OpenedDocument,
  type Reading,
} from '../../../src/service/permits/ledger-history.js';
import {
  MAX_REQUEST_MS,
  MAX_SEND_DELAY_MS,
  type LedgerRules,
} from '../../../src/service/permits/ledger-rules.js';
import {
  takeTurn,
  type Demand,
  type TurnResult,
} from '../../../src/service/permits/ledger-turn.js';
import type { Outcome, Settlement } from '../../../src/service/permits/settlement.js';
import { quotaOf } from '../../../src/service/quotas.js';
import type { EventOwner } from './event-loop.js';
import type { Kernel } from './machine.js';
import { GROUPS, type Group, type World } from './world.js';

/** The local clocks at a grant. */
interface GrantMoment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

interface ServerReply {
  readonly isStored?: boolean;
  readonly serverMs: number;
  readonly token: number;
  readonly run: number;
  readonly document: FoundDocument;
  readonly seenMs: ReadonlyMap<string, number>;
}

/** What a call stores if its base is the latest. */
interface NextDocument {
  readonly document: LedgerDocument;
  readonly base: ServerReply;
  readonly isWaiting: boolean;
}

const RULES: LedgerRules = { quotaOf, maxRequestMs: MAX_REQUEST_MS };
const END_MARGIN_MS = 1_000;
const MAX_REPLY_MS = 5_000;
/** Every so many transactions, the document is converted to text and back. */
const TEXT_INTERVAL = 50;

export class SimulatedProcess implements EventOwner {
  isDead = false;
  isStopped = false;
  /** Whether a fault has hit it: its share of the limit is not compared. */
  isTouched = false;
  deferred: EventOwner['deferred'] = [];
  /** Requests that were granted after the first minute. */
  share = 0;
  cutOffUntilMs = -1;
  readonly id: string;
  readonly bornMs: number;
  readonly #history: LedgerHistory;
  readonly #wanted = new Map<Group, number>();
  readonly #settlements: Settlement[] = [];
  #inFlight = 0;
  #isBusy = false;
  #isWokenAgain = false;
  #timer = 0;
  #ids = 0;
  #turns = 0;
  #isWaiting = false;

  constructor(
    private readonly world: World,
    readonly kernel: Kernel,
    private readonly options: {
      readonly concurrency: number;
      readonly mix: Readonly<Partial<Record<Group, number>>>;
      readonly roundTripMs: number;
    },
  ) {
    this.id = world.nextProcessId();
    this.bornMs = world.loop.nowMs;
    this.#history = new LedgerHistory({
      processId: this.id,
      host: kernel.boot,
      rules: RULES,
    });
  }

  get hasWholeMix(): boolean {
    return this.options.mix === this.world.kind.mix;
  }

  /** Looks at the ledger, now or after the present transaction. */
  turn(): void {
    if (this.isDead) return;
    if (this.#isBusy) {
      this.#isWokenAgain = true;
      return;
    }
    this.#want();
    if (this.#settlements.length === 0 && this.#demands().size === 0) return;
    this.#isBusy = true;
    this.#timer += 1;
    if (this.world.server) this.#turnOnServer();
    else this.#turnOnFile();
  }

  readonly #look = (): void => {
    this.turn();
  };

  #after(ms: number, run: () => void, kind: 'io' | 'timer' = 'io'): void {
    this.world.loop.after(ms, run, this, kind);
  }

  #demands(): Map<string, Demand> {
    const demands = new Map<string, Demand>();
    for (const [group, count] of this.#wanted) {
      const quotas = GROUPS[group].map(({ key }) => key);
      if (count > 0) demands.set(quotas.join('\n'), { quotas, count });
    }
    return demands;
  }

  /** Each process wants as many requests at once as its concurrency. */
  #want(): void {
    const { world } = this;
    const { concurrency, mix } = this.options;
    const waiting = (): number => [...this.#wanted.values()].reduce((sum, one) => sum + one, 0);
    while (this.#inFlight + waiting() < concurrency && world.isOpen) {
      let left = world.dice.value();
      const names = Object.keys(mix) as Group[];
      const group = names.find((name) => (left -= mix[name] ?? 0) < 0) ?? names.at(-1) ?? 'home';
      this.#wanted.set(group, (this.#wanted.get(group) ?? 0) + 1);
    }
  }

  #apply(
    document: LedgerDocument,
    nowMs: number,
    settlements: readonly Settlement[],
    seenMs?: ReadonlyMap<string, number>,
  ) {
    const turn = {
      processId: this.id,
      nowMs,
      settlements,
      demands: this.#demands(),
      seenMs,
      nextId: () => `${this.id}-${(this.#ids += 1)}`,
    };
    return takeTurn(document, turn, RULES);
  }

  #turnOnFile(): void {
    const { store, dice, kind } = this.world;
    const isNew = !store.hasLockFile;
    store.lock(this, () => {
      this.#after(this.world.transactionMs(), () => {
        const reading = this.#localReading();
        const found = kind.hasNoLocks ? copyOf(store.document) : undefined;
        const settlements = this.#takeSettlements();
        this.#after(this.world.transactionMs(), () => {
          if (dice.chance(kind.torn ?? 0)) {
            store.lose('damaged');
            this.world.kill(this);
            return;
          }
          const opened = this.#history.open(
            kind.hasNoLocks ? found : store.document,
            reading,
            isNew,
          );
          if ('usedBy' in opened) {
            this.#settlements.unshift(...settlements);
            store.unlock(this);
            this.#isBusy = false;
            this.#after(dice.between(900, 1_000), this.#look, 'timer');
            return;
          }
          const { nowMs } = reading;
          const result = this.#apply(opened.document, nowMs, settlements);
          const probeId = opened.document.pause?.probe?.id;
          this.#history.stamp(opened.document, reading);
          store.store(this.#throughText(opened.document));
          this.#history.remember(opened.document);
          this.#after(dice.between(0.02, 0.2), () => {
            store.unlock(this);
            const granted = { monotonicMs: nowMs, wallMs: this.kernel.wallMs() };
            this.#finish(result, probeId, nowMs, granted);
          });
        });
      });
    });
  }

  #takeSettlements(): readonly Settlement[] {
    for (const { id } of this.#settlements) this.#history.forget(id);
    return this.#settlements.splice(0);
  }

  #localReading(): Reading {
    const { kernel } = this;
    return { nowMs: kernel.monotonicMs(), wallMs: kernel.wallMs(), boot: kernel.boot };
  }

  #throughText(document: LedgerDocument): LedgerDocument {
    this.#turns += 1;
    if (this.#turns % TEXT_INTERVAL !== 0) return document;
    const read = parseDocument(serializeDocument(document));
    if (read === 'damaged') throw new Error('The ledger cannot read its own text.');
    return read;
  }

  #turnOnServer(): void {
    const settlements = this.#takeSettlements();
    const retry = (): void => {
      this.#settlements.unshift(...settlements);
      this.#isBusy = false;
      this.#after(this.world.dice.between(200, 1_000), this.#look, 'timer');
    };
    const compute = (reply: ServerReply | undefined, sent: GrantMoment): void => {
      if (!reply) {
        retry();
        return;
      }
      const nowMs = reply.serverMs;
      const local = {
        sent: { nowMs: sent.monotonicMs, wallMs: sent.wallMs },
        received: this.#localReading(),
      };
      const reading = { nowMs, wallMs: nowMs, boot: `run${reply.run}`, local };
      const found = copyOf(reply.document);
      const { document, loss } = this.#history.open(found, reading, false) as OpenedDocument;
      const before = contentOf(document, nowMs);
      const result = this.#apply(document, nowMs, settlements, reply.seenMs);
      const probeId = document.pause?.probe?.id;
      const finish = (): void => {
        this.#history.remember(document);
        this.#finish(result, probeId, nowMs, sent);
      };
      if (contentOf(document, nowMs) === before && loss === undefined) {
        finish();
        return;
      }
      this.#history.stamp(document, reading);
      const isWaiting = result.forecasts.size > 0;
      const next = { document, base: reply, isWaiting };
      this.#call(next, (stored, again) => {
        if (stored?.isStored) finish();
        else compute(stored, again);
      });
    };
    this.#call(undefined, compute);
  }

  #moment(): GrantMoment {
    return { monotonicMs: this.kernel.monotonicMs(), wallMs: this.kernel.wallMs() };
  }

  /** One run of the script. Replies may be late or lost, also when the document was stored. */
  #call(
    next: NextDocument | undefined,
    then: (reply: ServerReply | undefined, sent: GrantMoment) => void,
  ): void {
    const { loop, dice, kind } = this.world;
    const sent = this.#moment();
    const halfMs = (): number => (this.options.roundTripMs * dice.between(0.5, 1.5)) / 2;
    const slowMs = dice.chance(kind.slowReplies ?? 0) ? dice.between(10, 3_000) : 0;
    let isOver = false;
    const end = (reply: ServerReply | undefined): void => {
      if (isOver) return;
      isOver = true;
      then(reply, sent);
    };
    loop.after(halfMs() + slowMs, () => {
      if (dice.chance((kind.lostReplies ?? 0) / 2)) return;
      const reply = this.#runScript(next);
      if (!reply || dice.chance(kind.lostReplies ?? 0)) return;
      this.#after(halfMs(), () => {
        end(reply);
      });
    });
    this.#after(
      MAX_REPLY_MS,
      () => {
        end(undefined);
      },
      'timer',
    );
  }

  #runScript(next: NextDocument | undefined): ServerReply | undefined {
    const { store, server, loop } = this.world;
    if (!server || loop.nowMs < server.downUntilMs || loop.nowMs < this.cutOffUntilMs)
      return undefined;
    const serverMs = server.nowMs();
    if (next?.isWaiting ?? this.#isWaiting) store.seenMs.set(this.id, Math.round(serverMs));
    else store.seenMs.delete(this.id);
    const { run } = server;
    const isStored = next?.base.token === store.token && next.base.run === run;
    if (isStored) store.store(this.#throughText(copyOfDocument(next.document)));
    const document = copyOf(store.document);
    const seenMs = new Map(store.seenMs);
    return { isStored, serverMs, token: store.token, run, document, seenMs };
  }

  #finish(
    result: TurnResult,
    probeId: string | undefined,
    nowMs: number,
    granted: GrantMoment,
  ): void {
    this.#isBusy = false;
    this.#isWaiting = result.forecasts.size > 0;
    for (const { id, group } of result.grants) {
      const name = (Object.keys(GROUPS) as Group[]).find(
        (one) => GROUPS[one].map(({ key }) => key).join('\n') === group,
      );
      if (!name) continue;
      this.#wanted.set(name, (this.#wanted.get(name) ?? 1) - 1);
      this.#inFlight += 1;
      if (this.world.loop.nowMs > 60_000) this.share += 1;
      this.#send({ id, group: name, grantedMs: nowMs, granted, isProbe: id === probeId });
    }
    this.#want();
    if (this.#settlements.length > 0 || this.#isWokenAgain || result.wakeMs === Infinity) {
      this.#isWokenAgain = false;
      this.#after(0, this.#look, 'timer');
      return;
    }
    const timer = this.#timer;
    const lateMs = this.world.timerDelayMs();
    const wake = (): void => {
      if (timer === this.#timer) this.turn();
    };
    this.#after(Math.max(0, result.wakeMs - nowMs) + lateMs, wake, 'timer');
  }

  #send(request: SimulatedRequest): void {
    const { world } = this;
    if (!world.beforeSend(this)) return;
    const delayMs = world.dice.chance(0.05)
      ? world.dice.between(20, 600)
      : world.dice.between(0, 3);
    this.#after(
      delayMs,
      () => {
        if (this.#ageMs(request) > MAX_SEND_DELAY_MS) this.#settle(request, { kind: 'unsent' });
        else {
          const isStopped = world.betweenCheckAndWrite(this);
          this.#after(isStopped ? 0.01 : world.dice.between(0.01, 0.1), () => {
            this.#write(request);
          });
        }
      },
      'timer',
    );
  }

  #ageMs({ granted }: SimulatedRequest): number {
    const wallMs = this.world.server ? this.kernel.wallMs() - granted.wallMs : 0;
    return Math.max(this.kernel.monotonicMs() - granted.monotonicMs, wallMs);
  }

  #write(request: SimulatedRequest): void {
    const { world, kernel } = this;
    const leftMs = Math.max(0, MAX_REQUEST_MS - END_MARGIN_MS - this.#ageMs(request)) / kernel.rate;
    let isEnded = false;
    const end = (outcome: Outcome): void => {
      if (isEnded) return;
      isEnded = true;
      this.#settle(request, outcome);
    };
    let resetMs: number | undefined;
    this.#after(
      leftMs,
      () => {
        resetMs = world.loop.nowMs;
        end({ kind: 'no-response' });
      },
      'timer',
    );
    world.onWrite(this, request.isProbe);
    const travelMs = world.travelMs(leftMs, this.#ageMs(request));
    if (travelMs === Infinity) return;
    world.loop.after(travelMs, () => {
      // The connection was closed before the request arrived.
      if (resetMs !== undefined && world.loop.nowMs > resetMs + 100) return;
      if (world.loop.nowMs > kernel.downSinceMs + 50) return;
      const { id, isProbe, grantedMs } = request;
      const outcome = world.service.serve(
        { quotas: GROUPS[request.group], isProbe, sender: { id, grantedMs } },
        world.loop.nowMs,
      );
      const backMs = world.returnMs();
      if (!outcome || backMs === Infinity) return;
      this.#after(backMs, () => {
        if (world.beforeSettle(this)) end(outcome);
      });
    });
  }

  #settle({ id, grantedMs }: SimulatedRequest, outcome: Outcome): void {
    this.#inFlight -= 1;
    this.#settlements.push({ id, grantedMs, outcome });
    this.turn();
  }
}

interface SimulatedRequest {
  readonly id: string;
  readonly group: Group;
  readonly grantedMs: number;
  readonly granted: GrantMoment;
  readonly isProbe: boolean;
}

function copyOf(document: FoundDocument): FoundDocument {
  return document === undefined || document === 'damaged' ? document : copyOfDocument(document);
}

function copyOfDocument(document: LedgerDocument): LedgerDocument {
  return {
    ...document,
    uses: document.uses.map((use) => ({ ...use })),
    tickets: document.tickets.map((ticket) => ({ ...ticket })),
    caps: document.caps.map((cap) => ({ ...cap })),
    pause: document.pause && { ...document.pause },
  };
}
