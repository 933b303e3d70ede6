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

interface Range {
  readonly from: number;
  readonly to: number;
}

export class Redactor {
  readonly #short = new Set<string>();
  readonly #parts = new Set<string>();

  add(secret: string): void {
    const encoded = encodeURIComponent(secret);
    const inForm = new URLSearchParams({ '': secret }).toString().slice(1);
    const inJson = JSON.stringify(secret).slice(1, -1);
    for (const form of new Set([secret, encoded, encoded.toLowerCase(), inForm, inJson])) {
      if (form.length < MIN_SECRET_LENGTH) continue;
      if (form.length < PART_LENGTH) this.#short.add(form);
      for (let at = 0; at + PART_LENGTH <= form.length; at += 1) {
        this.#parts.add(form.slice(at, at + PART_LENGTH));
      }
    }
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
    for (const secret of this.#short)
      for (const each of occurrences(text, secret)) found.push(each);
    for (let from = 0; this.#parts.size > 0 && from + PART_LENGTH <= text.length; from += 1) {
      const to = from + PART_LENGTH;
      if (this.#parts.has(text.slice(from, to))) found.push({ from, to });
    }
    return found.sort((a, b) => a.from - b.from);
  }
}

function occurrences(text: string, part: string): Range[] {
  const found: Range[] = [];
  for (let from = text.indexOf(part); from >= 0; from = text.indexOf(part, from + 1))
    found.push({ from, to: from + part.length });
  return found;
}
