/**
 * Keeps secrets out of everything that is printed. Known secrets are removed even if a response quotes them in part,
 * URL-encoded or within JSON; so is user information in URLs.
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
  readonly #fixed = new Set<string>();

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

  /**
   * Leaves this text as it is, wherever it occurs: a constant of the program reveals nothing, while replacing a word of
   * it would show that the secret is this word.
   */
  keep(text: string): void {
    this.#fixed.add(text);
  }

  redact(text: string): string {
    const visible = hideUserInfo(text);
    let result = '';
    let end: number | undefined;
    for (const { from, to } of this.#withoutKept(visible, this.#find(visible))) {
      if (end === undefined || from > end) result += visible.slice(end, from) + REPLACEMENT;
      end = Math.max(end ?? 0, to);
    }
    return result + visible.slice(end);
  }

  /** Without those in a text to keep, unless one of them reaches beyond that text. */
  #withoutKept(text: string, found: readonly Range[]): readonly Range[] {
    if (found.length === 0) return found;
    const kept = [...this.#fixed]
      .flatMap((fixed) => occurrences(text, fixed))
      .filter((own) => found.every((range) => isWithin(range, own) || !overlaps(range, own)));
    return found.filter((range) => !kept.some((own) => isWithin(range, own)));
  }

  /** Sorted by their start; may overlap. */
  #find(text: string): Range[] {
    const found: Range[] = [];
    for (const secret of this.#short) found.push(...occurrences(text, secret));
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

const isWithin = (range: Range, outer: Range) => range.from >= outer.from && range.to <= outer.to;
const overlaps = (range: Range, other: Range) => range.from < other.to && other.from < range.to;

/** Variables that hold a secret. Passwords of proxies are hidden as user information. */
const SECRET_VARIABLES = [
  'TANKOBON_PASSWORD',
  'TANKOBON_CLIENT_SECRET',
  'TANKOBON_LEDGER_PASSWORD',
] as const;

export function redactorFor(env: Readonly<NodeJS.ProcessEnv>): Redactor {
  const redactor = new Redactor();
  for (const name of SECRET_VARIABLES) redactor.add(env[name] ?? '');
  return redactor;
}
