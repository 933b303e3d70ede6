/** Does what the ledger's script does on a server, in memory and by any clock. */
import { randomBytes } from 'node:crypto';

export class ScriptServer {
  #run = randomBytes(20).toString('hex');
  #state: { readonly token: string; readonly text: string } | undefined;
  readonly #processes = new Map<string, { readonly untilMs: number; readonly info: string }>();
  #version: string | undefined;
  calls = 0;

  /** @param nowMs since the epoch */
  constructor(private readonly nowMs: () => number) {}

  /** Starts again without its data. */
  restart(): void {
    this.#run = randomBytes(20).toString('hex');
    this.#state = undefined;
    this.#version = undefined;
    this.#processes.clear();
  }

  evaluate(args: readonly string[]): unknown[] {
    const [version, id = '', info = '', registration, ttl, token, run, newToken, text = ''] = args;
    this.calls += 1;
    const nowMs = this.nowMs();
    if (this.#version !== undefined && this.#version !== version) return ['version', this.#version];
    if (registration === 'register') {
      this.#version = version;
      this.#processes.set(id, { untilMs: Math.floor(nowMs) + Number(ttl), info });
    }
    if (registration === 'unregister') this.#processes.delete(id);
    const alive = [...this.#processes].filter(([, { untilMs }]) => untilMs > nowMs);
    const processes = alive.flatMap(([of, { info: about }]) => [of, about]);
    const time = [String(Math.floor(nowMs / 1_000)), String(Math.floor((nowMs % 1_000) * 1_000))];
    const stored = this.#state ?? { token: '', text: '' };
    if (stored.token !== token || this.#run !== run) {
      return ['stale', ...time, this.#run, processes, stored.token, stored.text];
    }
    if (newToken) this.#state = { token: newToken, text };
    return ['current', ...time, this.#run, processes];
  }

  /** Replaces what is stored. */
  put(text: string): void {
    this.#state = { token: randomBytes(8).toString('hex'), text };
  }

  get text(): string {
    return this.#state?.text ?? '';
  }

  setVersion(version: string): void {
    this.#version = version;
  }
}
