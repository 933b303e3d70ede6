/** Runs in the child process of KeychainProcess, with the path of the library as argument, and answers each call. */
import { createRequire } from 'node:module';
import type { EntryCall, Reply } from './keychain-process.js';

type Entry = Readonly<Record<EntryCall['method'], (value?: Uint8Array) => Promise<unknown>>>;

interface Library {
  readonly AsyncEntry: new (service: string, name: string, options: object) => Entry;
}

/** On Linux only the Secret Service is used: the library's fallback is the kernel keyring, which is lost at reboot. */
const STORE = { linux: { store: 'secret-service' } };

const [, , libraryPath = ''] = process.argv;

process.on('message', (call: EntryCall) => {
  void answer(call).then((reply) => process.send?.(reply));
});
// Not an exit, which would wait for a call.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

async function answer({ method, service, name, value }: EntryCall): Promise<Reply> {
  try {
    const { AsyncEntry } = load();
    const entry = new AsyncEntry(service, name, STORE);
    return { result: await entry[method](...(value ? [value] : [])) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function load(): Library {
  try {
    return createRequire(import.meta.url)(libraryPath) as Library;
  } catch (cause) {
    throw new Error(`cannot load the library: ${(cause as Error).message}`, { cause });
  }
}
