/**
 * What one transaction of the shared ledger does for its process: it records what has ended, takes the permits that
 * are free, and plans when to check again. It changes the state alone; all else that follows from it is in the result,
 * since a store may run a transaction again with another state.
 */
import type { Moment } from '../core/clock.js';
import { formatLocalTime } from '../core/human-format.js';
import { ServiceError } from '../core/errors.js';
import { applyResponse, type Settlement } from './apply-response.js';
import { activeBan, activeRateLimit } from './backoff.js';
import {
  allowedRequests,
  expiriesOf,
  forecastGrants,
  grant,
  MAX_KERNEL_SEND_MS,
  MAX_REQUEST_MS,
  nextFreeMs,
  prune,
  reap,
  reapAbandoned,
  type GrantResult,
  type LedgerState,
  type PermitRecord,
  type Ticket,
} from './ledger-state.js';
import type { ProcessRegistry } from './ledger-store.js';
import { groupOf, PendingQueue, waitFor, type PendingRequest } from './pending-requests.js';
import { MAX_WAIT_MS, type Wait } from './rate-ledger.js';

export interface UpdateInput {
  readonly settlements: readonly Settlement[];
  readonly pending: readonly PendingRequest[];
  /** Handed out; their end is not recorded yet. */
  readonly outstanding: readonly PermitRecord[];
  readonly processes: Pick<ProcessRegistry, 'ownId' | 'livenessOf'>;
  readonly moment: Moment;
  readonly nextTicketId: () => string;
}

export interface UpdateResult {
  readonly grants: readonly (GrantResult & { readonly request: PendingRequest })[];
  readonly rejections: readonly {
    readonly request: PendingRequest;
    readonly error: ServiceError;
  }[];
  readonly waits: readonly {
    readonly wait: Wait;
    readonly startMs: number;
    readonly group: string;
  }[];
  /** When to check again, if a request still waits. */
  readonly wakeMs: number;
  /** Whether the shared queue holds tickets of this process. */
  readonly hasTickets: boolean;
}

/** Shortly before its turn a process checks often, since another may die; otherwise for changed backoffs and quotas. */
const SOON_MS = 2_000;
const SOON_POLL_MS = 200;
const POLL_MS = 1_000;

export async function updateLedger(state: LedgerState, input: UpdateInput): Promise<UpdateResult> {
  return new LedgerUpdate(state, input).run();
}

class LedgerUpdate {
  readonly #pending = new PendingQueue();
  readonly #grants: UpdateResult['grants'][number][] = [];
  readonly #rejections: UpdateResult['rejections'][number][] = [];
  readonly #waits: UpdateResult['waits'][number][] = [];

  constructor(
    private readonly state: LedgerState,
    private readonly input: UpdateInput,
  ) {
    for (const request of input.pending) this.#pending.add(request);
  }

  async run(): Promise<UpdateResult> {
    const { state, input } = this;
    this.#restoreOutstanding();
    for (const settlement of input.settlements) applyResponse(state, settlement);
    prune(state, input.moment.nowMs);
    this.#take();
    if (!this.#pending.isEmpty && (await this.#reapDead())) this.#take();
    const wakeMs = this.#planWaits();
    this.#queueTickets();
    return {
      grants: this.#grants,
      rejections: this.#rejections,
      waits: this.#waits,
      wakeMs,
      hasTickets: state.queue.some(({ processId }) => processId === input.processes.ownId),
    };
  }

  /**
   * Requests under way count, even if the ledger was lost or another process took this one for dead. A permit that this
   * process does not know of was stored by a transaction whose success it did not learn of: it was never used.
   */
  #restoreOutstanding(): void {
    const { outstanding, processes } = this.input;
    const { state } = this;
    const known = new Set(outstanding.map(({ id }) => id));
    state.permits = state.permits.filter(
      ({ id, processId, settledMs }) =>
        processId !== processes.ownId || settledMs !== undefined || known.has(id),
    );
    const recorded = new Set(state.permits.map(({ id }) => id));
    for (const permit of outstanding) {
      if (!recorded.has(permit.id)) state.permits.push({ ...permit });
    }
  }

  /** Grants as many permits as are free, in the order of the shared queue. */
  #take(): void {
    const { state, input } = this;
    const { nowMs } = input.moment;
    const ban = activeBan(state.backoff, nowMs);
    if (ban) this.#rejectUntil(ban.untilMs, 'banned', 'The service has banned this address');
    for (;;) {
      this.#queueTickets();
      const starts = forecastGrants(state, nowMs);
      const ticket = state.queue.find(
        ({ id, processId }) =>
          processId === input.processes.ownId && (starts.get(id)?.atMs ?? Infinity) <= nowMs,
      );
      const request = ticket && this.#pending.takeFirst(groupOf(ticket.quotas));
      if (!ticket || !request) return;
      this.#grants.push({ request, ...grant(state, ticket, nowMs) });
    }
  }

  /** Leaves exactly one ticket for each group of waiting requests. */
  #queueTickets(): void {
    const { state, input } = this;
    const { ownId } = input.processes;
    const { groups } = this.#pending;
    // A ticket in the store may name other quotas than ours.
    const isNeeded = ({ quotas }: Ticket): boolean =>
      JSON.stringify(quotas) === JSON.stringify(groups.get(groupOf(quotas)));
    state.queue = state.queue.filter((ticket) => ticket.processId !== ownId || isNeeded(ticket));
    const own = state.queue.filter(({ processId }) => processId === ownId);
    const queued = new Set(own.map(({ quotas }) => groupOf(quotas)));
    for (const [group, quotas] of groups) {
      if (queued.has(group)) continue;
      const id = input.nextTicketId();
      state.queue.push({ id, processId: ownId, quotas, queuedMs: input.moment.nowMs });
    }
  }

  async #reapDead(): Promise<boolean> {
    const { state } = this;
    const { processes, moment } = this.input;
    const { nowMs } = moment;
    const unsettled = state.permits.filter(({ settledMs }) => settledMs === undefined);
    const ids = new Set([...state.queue, ...unsettled].map(({ processId }) => processId));
    ids.delete(processes.ownId);
    let hasChanged = false;
    for (const id of ids) {
      const liveness = await processes.livenessOf(id);
      if (liveness === 'dead' || liveness === 'lapsed') {
        // A process that has lapsed may still run, and its requests may still arrive.
        reap(state, id, nowMs + MAX_KERNEL_SEND_MS, liveness === 'lapsed' ? MAX_REQUEST_MS : 0);
        hasChanged = true;
      } else if (liveness === 'unknown') {
        hasChanged = reapAbandoned(state, id, nowMs) || hasChanged;
      }
    }
    return hasChanged;
  }

  /** Notes waits, and rejects requests that would wait too long. Returns when to check again. */
  #planWaits(): number {
    const { state } = this;
    const { processes, moment } = this.input;
    const { nowMs } = moment;
    const starts = forecastGrants(state, nowMs);
    let wakeMs = Infinity;
    for (const ticket of state.queue) {
      const start = starts.get(ticket.id) ?? { atMs: nowMs };
      if (start.atMs > nowMs) delete ticket.readyMs;
      else ticket.readyMs ??= nowMs;
      if (ticket.processId !== processes.ownId) continue;
      wakeMs = Math.min(wakeMs, start.atMs);
      this.#rejectLongWaits(ticket);
      const wait = waitFor(state, start, moment);
      this.#waits.push({ wait, startMs: start.atMs, group: groupOf(ticket.quotas) });
    }
    return Math.min(wakeMs, nowMs + (wakeMs - nowMs > SOON_MS ? POLL_MS : SOON_POLL_MS));
  }

  /** Some quotas have periods of an hour (spec 8.3), and a 429 may name any time. */
  #rejectLongWaits({ quotas }: Ticket): void {
    const { state } = this;
    const { nowMs } = this.input.moment;
    const pause = activeRateLimit(state.backoff, nowMs);
    if (pause && pause.untilMs - nowMs > MAX_WAIT_MS) {
      this.#rejectUntil(pause.untilMs, 'wait-too-long', 'The service asked for a pause');
    }
    for (const quota of quotas) {
      const expiries = expiriesOf(state, quota, nowMs);
      const freeMs = nextFreeMs(expiries, allowedRequests(state, quota), nowMs);
      if (freeMs - nowMs <= MAX_WAIT_MS) continue;
      const message = `The quota is used up: ${quota.key}`;
      this.#rejectUntil(freeMs, 'wait-too-long', message, groupOf(quotas));
    }
  }

  #rejectUntil(
    untilMs: number,
    code: 'banned' | 'wait-too-long',
    message: string,
    group?: string,
  ): void {
    const { nowMs, wallMs } = this.input.moment;
    const until = formatLocalTime(wallMs + untilMs - nowMs, wallMs);
    const error = new ServiceError(code, `${message}, until ${until}.`);
    for (const request of this.#pending.takeAll(group)) this.#rejections.push({ request, error });
  }
}
