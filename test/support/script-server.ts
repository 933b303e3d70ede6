/** Does what the ledger's script does on a server, in memory and by any clock. */
import { randomBytes } from 'node:crypto';

export class ScriptServer {
  #run = randomBytes(20).toString('hex');
  #document: { readonly token: string; readonly text: string } | undefined;
  readonly #seenMs = new Map<string, number>();
  #version: string | undefined;
  /** Answers as if another client had always stored something just before. */
  isContended = false;
  calls = 0;

  /** @param nowMs since the epoch */
  constructor(private readonly nowMs: () => number) {}

  /** Starts again without its data. */
  restart(): void {
    this.#run = randomBytes(20).toString('hex');
    this.#document = undefined;
    this.#version = undefined;
    this.#seenMs.clear();
  }

  evaluate(args: readonly string[]): unknown[] {
    const [version, id = '', role, lifetimeMs, token, run, newToken = '', text] = args;
    this.calls += 1;
    const nowMs = this.nowMs();
    if (this.#version !== undefined && this.#version !== version) return ['version'];
    if (role === 'waiting') this.#seenMs.set(id, Math.round(nowMs));
    if (role === 'idle') this.#seenMs.delete(id);
    const alive = [...this.#seenMs].filter(([, ms]) => nowMs - ms < Number(lifetimeMs));
    const seen = alive.flatMap(([other, ms]) => [other, String(ms)]);
    const time = [String(Math.floor(nowMs / 1_000)), String(Math.floor((nowMs % 1_000) * 1_000))];
    const stored = this.#document ?? { token: '', text: '' };
    const isLatest = stored.token === token && this.#run === run && !this.isContended;
    if (!text || !isLatest) {
      return ['stale', ...time, this.#run, seen, stored.token, stored.text];
    }
    this.#version = version;
    this.#document = { token: newToken, text };
    return ['stored'];
  }

  /** Replaces what is stored. */
  put(text: string): void {
    this.#document = { token: randomBytes(8).toString('hex'), text };
  }

  get text(): string {
    return this.#document?.text ?? '';
  }

  setVersion(version: string): void {
    this.#version = version;
  }
}
