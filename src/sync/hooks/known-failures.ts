/** Which failures the hooks know: each is reported once while it lasts, however its message is worded. */
import { AUTH_CODES } from '../../core/error-codes.js';
import type { KnownFailure } from '../history/sync-lines.js';
import type { HookUpdate, SeriesNotice } from './hook-payloads.js';

/** A notice, and the title, list, folder or run that it is about. */
export interface TargetNotice {
  readonly target: string;
  readonly update: SeriesNotice;
}

/** A login that ended is one failure, of all that needs it, and later runs find no login at all. */
export function noticeOf(target: string, update: SeriesNotice): TargetNotice {
  const isLogin = update.reason !== undefined && Object.hasOwn(AUTH_CODES, update.reason);
  return { target: isLogin ? 'login' : target, update };
}

/** What the hook does not know of the update; undefined if it knows all of it. */
export function unknownTo<Update extends HookUpdate>(
  hook: string,
  update: Update,
  known: readonly KnownFailure[],
): Update | undefined {
  if (update.event !== 'failed') return update;
  const { reason, chapters } = update;
  if (reason !== undefined) return isKnown({ reason }, hook, known) ? undefined : update;
  const unknown = chapters.filter((each) => !isKnown(failureOf(each), hook, known));
  return unknown.length > 0 ? { ...update, chapters: unknown } : undefined;
}

/** @param left the hooks that do not know all of the update */
export function withFailures(
  known: readonly KnownFailure[],
  update: SeriesNotice,
  left: readonly string[],
): KnownFailure[] {
  const current = failuresOf(update).map((failure) => {
    const except = left.filter((hook) => !isKnown(failure, hook, known));
    return { ...failure, ...(except.length > 0 && { except }) };
  });
  return [...known.filter((each) => !isAmong(each, current)), ...current];
}

/** The failures that did not end: those that recurred, and those of what `wasTried` says was not tried again. */
export function lastingFailures(
  known: readonly KnownFailure[],
  updates: readonly SeriesNotice[],
  wasTried: (failure: KnownFailure) => boolean,
): KnownFailure[] {
  const current = updates.flatMap(failuresOf);
  return known.filter((each) => isAmong(each, current) || !wasTried(each));
}

function failuresOf({ event, reason, chapters }: SeriesNotice): KnownFailure[] {
  if (event !== 'failed') return [];
  return reason === undefined ? chapters.map(failureOf) : [{ reason }];
}

function failureOf({ id, reason }: SeriesNotice['chapters'][number]): KnownFailure {
  return { chapter: id, reason };
}

function isAmong(failure: KnownFailure, others: readonly KnownFailure[]): boolean {
  return others.some((other) => isSame(failure, other));
}

function isKnown(failure: KnownFailure, hook: string, known: readonly KnownFailure[]): boolean {
  const found = known.find((each) => isSame(failure, each));
  return found !== undefined && found.except?.includes(hook) !== true;
}

function isSame(a: KnownFailure, b: KnownFailure): boolean {
  const isLogin = ({ reason }: KnownFailure) => Object.hasOwn(AUTH_CODES, reason);
  return a.chapter === b.chapter && (a.reason === b.reason || (isLogin(a) && isLogin(b)));
}
