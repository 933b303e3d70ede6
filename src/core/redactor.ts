/**
 * Keeps secrets out of what is printed. Whoever comes to hold a secret adds it; an answer that quotes it back, whole,
 * cut or encoded as in a form, is then printed without it. User information in URLs is hidden too.
 */
import { hideUserInfo } from './web-address.js';

const MARK = '[redacted]';
/** Shorter texts are found everywhere by chance. */
const MIN_SECRET_LENGTH = 4;
/** Of longer secrets each part of this length counts, since messages are cut. */
const PART_LENGTH = 16;

export class Redactor {
  readonly #wholes = new Set<string>();
  readonly #parts = new Set<string>();

  add(secret: string): void {
    const encoded = encodeURIComponent(secret);
    const inForm = new URLSearchParams({ '': secret }).toString().slice(1);
    const inJson = JSON.stringify(secret).slice(1, -1);
    for (const form of new Set([secret, encoded, encoded.toLowerCase(), inForm, inJson])) {
      if (form.length < MIN_SECRET_LENGTH) continue;
      if (form.length < PART_LENGTH) this.#wholes.add(form);
      for (let at = 0; at + PART_LENGTH <= form.length; at += 1) {
        this.#parts.add(form.slice(at, at + PART_LENGTH));
      }
    }
  }

  redact(text: string): string {
    return this.#withoutSecrets(hideUserInfo(text));
  }

  #withoutSecrets(text: string): string {
    let shown = '';
    let hiddenTo: number | undefined;
    for (const { from, to } of this.#findings(text)) {
      if (hiddenTo === undefined || from > hiddenTo) shown += text.slice(hiddenTo, from) + MARK;
      hiddenTo = Math.max(hiddenTo ?? 0, to);
    }
    return shown + text.slice(hiddenTo);
  }

  /** Where secrets and parts of them are, by their beginnings; they may overlap. */
  #findings(text: string): { readonly from: number; readonly to: number }[] {
    const found: { from: number; to: number }[] = [];
    for (const whole of this.#wholes) {
      for (let from = text.indexOf(whole); from >= 0; from = text.indexOf(whole, from + 1)) {
        found.push({ from, to: from + whole.length });
      }
    }
    for (let from = 0; this.#parts.size > 0 && from + PART_LENGTH <= text.length; from += 1) {
      const to = from + PART_LENGTH;
      if (this.#parts.has(text.slice(from, to))) found.push({ from, to });
    }
    return found.sort((one, other) => one.from - other.from);
  }
}

/** Variables that hold a secret. A proxy's URL counts too: what is in it is hidden as user information. */
const SECRET_VARIABLES = ['TANKOBON_PASSWORD', 'TANKOBON_CLIENT_SECRET'] as const;

/** Knows the secrets of this environment from the start. */
export function redactorFor(env: Readonly<NodeJS.ProcessEnv>): Redactor {
  const redactor = new Redactor();
  for (const name of SECRET_VARIABLES) redactor.add(env[name] ?? '');
  return redactor;
}
