/** Events in virtual time. Those of a suspended process wait until it goes on, those of a dead one are dropped. */

export interface EventOwner {
  isDead: boolean;
  isStopped: boolean;
  deferred: TimedEvent[];
}

interface TimedEvent {
  atMs: number;
  order: number;
  readonly run: () => void;
  readonly owner?: EventOwner | undefined;
  /** After a suspension, what was read is handled before timers. */
  readonly kind: 'io' | 'timer';
}

export class EventLoop {
  nowMs = 0;
  readonly #heap: TimedEvent[] = [];
  #order = 0;

  after(delayMs: number, run: () => void, owner?: EventOwner, kind: 'io' | 'timer' = 'io'): void {
    this.#push({ atMs: this.nowMs + delayMs, order: (this.#order += 1), run, owner, kind });
  }

  /** Runs the events that a process could not handle while it was suspended. */
  resume(owner: EventOwner): void {
    owner.isStopped = false;
    const events = owner.deferred.splice(0);
    events.sort((a, b) => a.kind.localeCompare(b.kind) || a.atMs - b.atMs || a.order - b.order);
    for (const [index, event] of events.entries()) {
      this.#push({ ...event, atMs: this.nowMs + (index + 1) / 100, order: (this.#order += 1) });
    }
  }

  runUntil(endMs: number): void {
    for (let event = this.#pop(); event && event.atMs <= endMs; event = this.#pop()) {
      this.nowMs = Math.max(this.nowMs, event.atMs);
      const { owner } = event;
      if (owner?.isDead) continue;
      if (owner?.isStopped) owner.deferred.push(event);
      else event.run();
    }
  }

  #push(event: TimedEvent): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isEarlier(heap[parent], event)) break;
      heap[at] = heap[parent] ?? event;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): TimedEvent | undefined {
    const heap = this.#heap;
    const [top] = heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isEarlier(heap[child + 1], heap[child])) child += 1;
      if (isEarlier(last, heap[child])) break;
      heap[at] = heap[child] ?? last;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}

function isEarlier(one: TimedEvent | undefined, other: TimedEvent | undefined): boolean {
  if (!one || !other) return other === undefined;
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}
