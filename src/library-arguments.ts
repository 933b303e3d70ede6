/** Checks of what a program passes to the library: without type checks, that may be anything. Each throws `bad-option`. */
import { UsageError } from './core/errors.js';
import { nearest } from './core/nearest.js';
import { checkOption, type DownloadOptions } from './download/download-request.js';

const LIBRARY_HINT = 'docs/library.md lists the options.';

export function checkTargets(targets: unknown): void {
  const isValid = Array.isArray(targets) && targets.every((target) => typeof target === 'string');
  checkOption('targets', targets ?? null, isValid, 'an array of strings');
}

export function checkOptionNames(options: unknown, known: Readonly<Record<string, true>>): void {
  const isObject = typeof options === 'object' && options !== null;
  checkOption('options', options, isObject, 'an object');
  for (const name of Object.keys(options as object)) {
    if (Object.hasOwn(known, name)) continue;
    const similar = nearest(name, Object.keys(known));
    throw new UsageError('bad-option', `Unknown option: ${name}`, {
      hint: similar === undefined ? LIBRARY_HINT : `Did you mean ${similar}? ${LIBRARY_HINT}`,
    });
  }
}

export function checkEnvironment({ env }: { readonly env?: unknown }): void {
  checkOption('env', env, typeof env === 'object' && env !== null, 'an object');
}

export function checkSignal({ signal }: { readonly signal?: unknown }): void {
  // Not `instanceof`: a signal may come from another realm.
  const { aborted, addEventListener } = Object(signal) as Partial<AbortSignal>;
  const isSignal = typeof aborted === 'boolean' && typeof addEventListener === 'function';
  checkOption('signal', signal, isSignal, 'an AbortSignal');
}

export function checkBindOptions({ bind, format, keepChapters }: DownloadOptions): void {
  if (bind !== undefined || (format === undefined && !keepChapters)) return;
  const name = format === undefined ? 'keepChapters' : 'format';
  throw new UsageError('bad-option', `The option ${name} needs the option bind.`, {
    hint: LIBRARY_HINT,
  });
}
