/**
 * The operating system's keychain, entry by entry. On Linux that is the Secret Service and nothing else: left to
 * itself the library falls back to the kernel's keyring, which forgets everything at reboot.
 */
import type { AsyncEntry as Entry } from 'keytar';
import { AuthError } from '../core/errors.js';

export interface Keychain {
  /** Under which name its entries are found with other programs. */
  readonly service: string;
  /** The entry's bytes; undefined where there is no such entry. */
  get(entry: string): Promise<Uint8Array | undefined>;
  set(entry: string, value: Uint8Array): Promise<void>;
  /** Whether there was such an entry. */
  delete(entry: string): Promise<boolean>;
}

/** What Windows takes in one entry; the others take more. */
export const MAX_ENTRY_BYTES = 2_560;

/** The entries under `service` in the keychain of the user. Opens nothing yet. */
export function systemKeychain(service: string): Keychain {
  const ask = async <T>(name: string, question: (entry: Entry) => Promise<T>): Promise<T> => {
    try {
      const { AsyncEntry } = await import('keytar');
      return await question(new AsyncEntry(service, name, { linux: { store: 'secret-service' } }));
    } catch (error) {
      throw keychainError(error);
    }
  };
  return {
    service,
    get: async (name) => {
      const bytes = await ask(name, (entry) => entry.getSecret());
      return bytes === null ? undefined : Uint8Array.from(bytes);
    },
    set: (name, value) => ask(name, (entry) => entry.setSecret(value)),
    delete: (name) => ask(name, (entry) => entry.deleteCredential()),
  };
}

/** The library has one error class for all; only its text tells them apart. */
export function keychainError(error: unknown): AuthError {
  const said = error instanceof Error ? error.message : String(error);
  if (/ambiguous|multiple|more than one/i.test(said)) {
    return new AuthError(
      'credentials-damaged',
      'The keychain holds an entry of tankobon’s twice.',
      {
        cause: error,
      },
    );
  }
  // The Secret Service's word for a keyring that was never made: there is nothing to unlock.
  if (/no result found/i.test(said)) {
    return new AuthError('no-keychain', 'The keychain has no keyring to store anything in.', {
      cause: error,
    });
  }
  if (/dismissed|locked|interaction|access(ed)? denied|couldn't access/i.test(said)) {
    return new AuthError('keychain-locked', 'The keychain is locked, and was not unlocked.', {
      cause: error,
    });
  }
  return new AuthError('no-keychain', 'No keychain can be reached on this machine.', {
    cause: error,
  });
}
