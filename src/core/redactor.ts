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
    for (const secret of this.#short) {
      for (let from = text.indexOf(secret); from >= 0; from = text.indexOf(secret, from + 1)) {
        found.push({ from, to: from + secret.length });
      }
    }
    for (let from = 0; this.#parts.size > 0 && from + PART_LENGTH <= text.length; from += 1) {
      const to = from + PART_LENGTH;
      if (this.#parts.has(text.slice(from, to))) found.push({ from, to });
    }
    return found.sort((a, b) => a.from - b.from);
  }
}

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
