/** The keychain of the operating system, entry by entry. A keychain that does not answer is waited for half a minute. */
import type { OpenKeychain, SlowKeychainListener } from '../config/context.js';
import { waitAtMost, type Clock } from '../core/clock.js';
import { AuthError, hasCode, thrownMessage } from '../core/errors.js';
import { printableLine } from '../core/printable.js';
import type { EntryCall, KeychainProcess } from './login/keychain-process.js';

/** The limit of Windows; the others accept more. */
export const MAX_ENTRY_BYTES = 2_560;

const NOTICE_AFTER_MS = 3_000;
const MAX_WAIT_MS = 30_000;
/** After a wait in vain, all calls fail for this time without a wait. */
const PAUSE_MS = 60_000;
/** The library waits 2 s for a reply, so these take half a minute. */
const MAX_ATTEMPTS = 15;
const RETRY_INTERVAL_MS = 100;
const MAX_WRITES = 5;
/** A busy disk or a start on demand delays the reply. */
const NO_REPLY = /did not receive a reply/i;
/**
 * There was no reply, the Secret Service ended, or another process deleted the entry after it was found. KWallet loses
 * a session now and then, refuses public keys that begin with a zero byte, and encrypts with another key than the client
 * where the shared one does.
 */
const TEMPORARY = new RegExp(
  `${NO_REPLY.source}|disconnected from message bus|no such interface|can't find session|public key size is invalid|unpad error`,
  'i',
);

/** The keychains of one command, which share what is known of a keychain that does not answer. */
export function systemKeychains(
  clock: Clock,
  onSlow?: SlowKeychainListener,
  process?: Pick<KeychainProcess, 'call' | 'stop'>,
): OpenKeychain {
  const access = new KeychainAccess(clock, process);
  return (service, listener = onSlow) => {
    const call = (method: EntryCall['method'], name: string, value?: Uint8Array) =>
      access.call({ method, service, name, value }, listener);
    return {
      service,
      get: async (name) => {
        const bytes = (await call('getSecret', name)) as Uint8Array | readonly number[] | null;
        return bytes === null ? undefined : Uint8Array.from(bytes);
      },
      async set(name, value) {
        // KWallet may decrypt a secret with the wrong key, and store what comes out.
        for (let writes = 0; writes < MAX_WRITES; writes += 1) {
          await call('setSecret', name, value);
          const stored = await this.get(name);
          if (stored && Buffer.compare(stored, value) === 0) return;
        }
        throw new AuthError('keychain-failed', 'The keychain does not keep what is written to it.');
      },
      delete: async (name) => (await call('deleteCredential', name)) as boolean,
    };
  };
}

class KeychainAccess {
  #queue: Promise<unknown> = Promise.resolve();
  #pausedUntilMs = -Infinity;
  #hasReported = false;

  constructor(
    private readonly clock: Clock,
    private process: Pick<KeychainProcess, 'call' | 'stop'> | undefined,
  ) {}

  /** One call after the other. */
  call(call: EntryCall, onSlow?: SlowKeychainListener): Promise<unknown> {
    const result = this.#queue.then(() => this.#callWithin(call, onSlow));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #callWithin(call: EntryCall, onSlow?: SlowKeychainListener): Promise<unknown> {
    if (this.clock.monotonicMs() < this.#pausedUntilMs) throw timeoutError();
    let settled = false;
    const isSettled = () => settled;
    const timeout = new AbortController();
    const calling = this.#callRepeatedly(call, timeout.signal).finally(() => {
      settled = true;
    });
    // Also for a call that fails after the limit.
    const ended = calling.catch(() => undefined);
    await waitAtMost(this.clock, NOTICE_AFTER_MS, ended);
    if (isSettled()) return calling;
    if (!this.#hasReported) onSlow?.(WAITING, UNLOCK_IT);
    this.#hasReported = true;
    await waitAtMost(this.clock, MAX_WAIT_MS - NOTICE_AFTER_MS, ended);
    if (isSettled()) return calling;
    timeout.abort();
    this.#pausedUntilMs = this.clock.monotonicMs() + PAUSE_MS;
    this.process?.stop();
    throw timeoutError();
  }

  /** Calls again after a temporary failure. */
  async #callRepeatedly(call: EntryCall, signal: AbortSignal): Promise<unknown> {
    const process = (this.process ??= await startableProcess());
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await process.call(call);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !TEMPORARY.test(thrownMessage(error)))
          throw keychainError(error);
      }
      await this.clock.sleep(RETRY_INTERVAL_MS, signal);
    }
  }
}

async function startableProcess(): Promise<KeychainProcess> {
  const { KeychainProcess } = await import('./login/keychain-process.js');
  return new KeychainProcess();
}

const WAITING = 'Waiting for the keychain, for at most 30 s.';
const UNLOCK_IT = 'It may show a dialog on the desktop that asks for its password.';

function timeoutError(cause?: unknown): AuthError {
  return new AuthError('keychain-timeout', 'The keychain does not answer.', { cause });
}

/** Whether the keychain as a whole cannot be used, for reasons other than its password. */
export function isKeychainMissing(error: unknown): error is AuthError {
  return hasCode(error, 'no-keychain', 'keychain-timeout', 'keychain-failed');
}

/** There is no bus, no service on it, or no binary of the library for this platform. */
const MISSING =
  /^cannot load|not provided by any \.service|failed to connect to socket|autolaunch/i;

/** The library has one error class for everything: only the message distinguishes the causes. */
function keychainError(cause: unknown): AuthError {
  const text = thrownMessage(cause);
  if (/ambiguous|multiple|more than one/i.test(text)) {
    const message = 'The keychain has two tankobon entries of the same name.';
    return new AuthError('credentials-damaged', message, { cause });
  }
  if (NO_REPLY.test(text)) return timeoutError(cause);
  // The Secret Service runs, but no keyring was ever created.
  if (/no result found/i.test(text)) {
    return new AuthError('no-keychain', 'The keychain has no keyring to store entries in.', {
      cause,
      hint: 'Create one with the program of your keychain (such as Passwords and Keys, KWalletManager or KeePassXC), or store the login in a file: tankobon login --insecure-storage',
    });
  }
  if (/dismissed|locked|interaction|access(ed)? denied|couldn't access/i.test(text)) {
    return new AuthError('keychain-locked', 'The keychain is locked.', { cause });
  }
  if (MISSING.test(text))
    return new AuthError('no-keychain', 'No keychain is available on this machine.', { cause });
  const message = `The keychain failed: ${printableLine(text)}`;
  return new AuthError('keychain-failed', message, { cause });
}
