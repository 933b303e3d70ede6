/**
 * The keychain of the operating system, entry by entry. On Linux only the Secret Service is used: the library's
 * fallback is the kernel keyring, which is lost at reboot.
 */
import type { AsyncEntry as Entry } from 'keytar';
import { systemClock, type Clock } from '../core/clock.js';
import { AuthError, thrownMessage } from '../core/errors.js';

export interface Keychain {
  /** The service name that other programs show for the entries. */
  readonly service: string;
  /** Undefined where there is no such entry. */
  get(entry: string): Promise<Uint8Array | undefined>;
  set(entry: string, value: Uint8Array): Promise<void>;
  /** Resolves with whether there was such an entry. */
  delete(entry: string): Promise<boolean>;
}

/** The limit of Windows; the others accept more. */
export const MAX_ENTRY_BYTES = 2_560;

/** The library waits 2 s for a reply, so these take half a minute. */
const MAX_ATTEMPTS = 15;
const RETRY_INTERVAL_MS = 100;
/** A busy disk or a start on demand delays the reply. */
const NO_REPLY = /did not receive a reply/i;
/** There was no reply, the Secret Service ended, or another process deleted the entry after it was found. */
const TEMPORARY = new RegExp(
  `${NO_REPLY.source}|disconnected from message bus|no such interface`,
  'i',
);

/** The user's keychain entries under `service`. Does not access the keychain yet. */
export function systemKeychain(service: string, clock: Clock = systemClock): Keychain {
  /** Runs `action` again after a temporary failure. */
  const withEntry = async <T>(name: string, action: (entry: Entry) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { AsyncEntry } = await import('keytar');
        return await action(new AsyncEntry(service, name, { linux: { store: 'secret-service' } }));
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !TEMPORARY.test(thrownMessage(error)))
          throw keychainError(error);
      }
      await clock.sleep(RETRY_INTERVAL_MS);
    }
  };
  return {
    service,
    get: async (name) => {
      const bytes = await withEntry(name, (entry) => entry.getSecret());
      return bytes === null ? undefined : Uint8Array.from(bytes);
    },
    set: (name, value) => withEntry(name, (entry) => entry.setSecret(value)),
    delete: (name) => withEntry(name, (entry) => entry.deleteCredential()),
  };
}

/** The library has one error class for everything: only the message distinguishes the causes. */
function keychainError(cause: unknown): AuthError {
  const text = thrownMessage(cause);
  if (/ambiguous|multiple|more than one/i.test(text)) {
    const message = 'The keychain has two tankobon entries of the same name.';
    return new AuthError('credentials-damaged', message, { cause });
  }
  if (NO_REPLY.test(text)) {
    const hint =
      'Restart the Secret Service (for example gnome-keyring), then run the same command again.';
    return new AuthError('no-keychain', 'The keychain does not reply.', { cause, hint });
  }
  // The Secret Service runs, but no keyring was ever created.
  if (/no result found/i.test(text)) {
    return new AuthError('no-keychain', 'The keychain has no keyring to store entries in.', {
      cause,
    });
  }
  if (/dismissed|locked|interaction|access(ed)? denied|couldn't access/i.test(text)) {
    return new AuthError('keychain-locked', 'The keychain is locked.', { cause });
  }
  return new AuthError('no-keychain', 'No keychain is available on this machine.', { cause });
}
