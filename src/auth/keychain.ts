/**
 * The keychain of the operating system, entry by entry. On Linux only the Secret Service is used: the library's
 * fallback is the kernel keyring, which is lost at reboot.
 */
import type { AsyncEntry as Entry } from 'keytar';
import { AuthError } from '../core/errors.js';
import { MAX_TOKEN_BYTES } from './login-record.js';

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
/** Of the longest token. */
export const MAX_PARTS = Math.ceil(MAX_TOKEN_BYTES / MAX_ENTRY_BYTES);

/** The user's keychain entries under `service`. Does not access the keychain yet. */
export function systemKeychain(service: string): Keychain {
  const withEntry = async <T>(name: string, act: (entry: Entry) => Promise<T>): Promise<T> => {
    try {
      const { AsyncEntry } = await import('keytar');
      return await act(new AsyncEntry(service, name, { linux: { store: 'secret-service' } }));
    } catch (error) {
      throw keychainError(error);
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
  const text = cause instanceof Error ? cause.message : String(cause);
  if (/ambiguous|multiple|more than one/i.test(text)) {
    const message = 'The keychain has two tankobon entries of the same name.';
    return new AuthError('credentials-damaged', message, { cause });
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
