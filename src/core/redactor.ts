/**
 * Removes known secrets from text of the service, of hooks and of libraries, where it enters a message: also if they are
 * quoted in part, URL-encoded or within JSON. Our own text is left as it is, so that no path is changed.
 */
import { hideUserInfo } from './web-address.js';

const REPLACEMENT = '[redacted]';
/** Shorter texts occur everywhere by chance. */
const MIN_SECRET_LENGTH = 4;
/** Every part of this length of a longer secret is removed too, since messages are cut. */
const PART_LENGTH = 16;

/** A sync of months with a login gets hundreds of tokens, and each takes a hundred times its length. */
const MAX_TOKENS = 16;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** What is looked for of one secret. */
interface Traces {
  /** Its forms that are shorter than a part. */
  readonly short: readonly string[];
  readonly parts: ReadonlySet<string>;
}

export class Redactor {
  readonly #secrets = new Map<string, Traces>();
  /** The latest ones, the last one at the end. */
  readonly #tokens = new Map<string, Traces>();

  add(secret: string): void {
    if (!this.#secrets.has(secret)) this.#secrets.set(secret, tracesOf(secret));
  }

  /** A secret that is soon replaced by another. */
  addToken(token: string): void {
    const traces = this.#tokens.get(token) ?? tracesOf(token);
    this.#tokens.delete(token);
    this.#tokens.set(token, traces);
    const [oldest = ''] = this.#tokens.keys();
    if (this.#tokens.size > MAX_TOKENS) this.#tokens.delete(oldest);
  }

  redact(text: string): string {
    const visible = hideUserInfo(text);
    let result = '';
    let end: number | undefined;
    for (const { from, to } of this.#find(visible)) {
      if (end === undefined || from > end) result += visible.slice(end, from) + REPLACEMENT;
      end = Math.max(end ?? 0, to);
    }
    return result + visible.slice(end);
  }

  /** Sorted by their start; may overlap. */
  #find(text: string): Range[] {
    const found: Range[] = [];
    const all = [...this.#secrets.values(), ...this.#tokens.values()];
    for (const form of all.flatMap(({ short }) => short))
      for (const each of occurrences(text, form)) found.push(each);
    const long = all.map(({ parts }) => parts).filter(({ size }) => size > 0);
    for (let from = 0; long.length > 0 && from + PART_LENGTH <= text.length; from += 1) {
      const to = from + PART_LENGTH;
      const part = text.slice(from, to);
      if (long.some((parts) => parts.has(part))) found.push({ from, to });
    }
    return found.sort((a, b) => a.from - b.from);
  }
}

function tracesOf(secret: string): Traces {
  const encoded = encodeURIComponent(secret);
  const inForm = new URLSearchParams({ '': secret }).toString().slice(1);
  const inJson = JSON.stringify(secret).slice(1, -1);
  const forms = new Set([secret, encoded, encoded.toLowerCase(), inForm, inJson]);
  const short = [...forms].filter(
    ({ length }) => length >= MIN_SECRET_LENGTH && length < PART_LENGTH,
  );
  const parts = new Set<string>();
  for (const form of forms)
    for (let at = 0; at + PART_LENGTH <= form.length; at += 1)
      parts.add(form.slice(at, at + PART_LENGTH));
  return { short, parts };
}

function occurrences(text: string, part: string): Range[] {
  const found: Range[] = [];
  for (let from = text.indexOf(part); from >= 0; from = text.indexOf(part, from + 1))
    found.push({ from, to: from + part.length });
  return found;
}
