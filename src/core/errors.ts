/**
 * The error classes, each with its own closed set of codes:
 *
 *   TankobonError
 *   ├─ UsageError      invalid arguments, settings or input; nothing was sent
 *   ├─ ServiceError    the service, or the connection to it
 *   ├─ AuthError       the login
 *   ├─ ChapterError    one chapter
 *   ├─ LoadError       one load of one page
 *   ├─ StorageError    files and folders
 *   └─ RunError        the run as a whole
 *
 * The message says what happened, and to what; the hint says what to do.
 */
import {
  ERROR_CODES,
  type AUTH_CODES,
  type CHAPTER_CODES,
  type ErrorCode,
  type LOAD_CODES,
  type RUN_CODES,
  type SERVICE_CODES,
  type STORAGE_CODES,
  type USAGE_CODES,
} from './error-codes.js';
import { EXIT, type ExitCode } from './exit-codes.js';

interface ErrorDetails {
  readonly cause?: unknown;
  /** Replaces the hint of the code, where a more exact one is known. */
  readonly hint?: string;
  /** The file or folder that the message names. */
  readonly path?: string;
}

export abstract class TankobonError extends Error {
  // Written out in each class, since the build shortens the names of classes.
  static override readonly name: string = 'TankobonError';
  readonly code: ErrorCode;
  readonly hint: string;
  /** The file or folder that the message names, where there is one. */
  declare readonly path?: string;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    // Again, so that the stack starts with this name.
    Error.captureStackTrace(this, new.target);
    this.code = code;
    this.hint = details.hint ?? ERROR_CODES[code].hint;
    if (details.path !== undefined) this.path = details.path;
  }

  get exitCode(): ExitCode {
    return ERROR_CODES[this.code].exitCode;
  }
}

abstract class ErrorOfKind<Code extends ErrorCode> extends TankobonError {
  declare readonly code: Code;

  constructor(code: Code, message: string, details: ErrorDetails = {}) {
    super(code, message, details);
  }
}

export class UsageError extends ErrorOfKind<keyof typeof USAGE_CODES> {
  static override readonly name: string = 'UsageError';
}
export class ServiceError extends ErrorOfKind<keyof typeof SERVICE_CODES> {
  static override readonly name: string = 'ServiceError';
}
export class AuthError extends ErrorOfKind<keyof typeof AUTH_CODES> {
  static override readonly name: string = 'AuthError';
}
export class ChapterError extends ErrorOfKind<keyof typeof CHAPTER_CODES> {
  static override readonly name: string = 'ChapterError';
}
export class LoadError extends ErrorOfKind<keyof typeof LOAD_CODES> {
  static override readonly name: string = 'LoadError';
}
export class StorageError extends ErrorOfKind<keyof typeof STORAGE_CODES> {
  static override readonly name: string = 'StorageError';
}
export class RunError extends ErrorOfKind<keyof typeof RUN_CODES> {
  static override readonly name: string = 'RunError';
}

/** Whether `error` is a TankobonError with one of `codes`; with any code if none is given. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is TankobonError {
  return error instanceof TankobonError && (codes.length === 0 || codes.includes(error.code));
}

/** The message of an error, or whatever else was thrown as text. */
export function thrownMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The user cancelled a question; nothing is left to do about it. */
export function cancelledError(): RunError {
  return new RunError('interrupted', 'Cancelled.', { hint: '' });
}

/** The abort reason when the user interrupts the run. */
export function interruptedError(): RunError {
  return new RunError('interrupted', 'Interrupted.');
}

/** An interruption, or a ban or captcha, which stops any run. */
export function isFatal(error: unknown): boolean {
  if (!(error instanceof TankobonError)) return false;
  const { code, exitCode } = error;
  return code === 'interrupted' || exitCode === EXIT.cooldown || exitCode === EXIT.captcha;
}
