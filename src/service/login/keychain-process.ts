/**
 * The keychain's library in a process of its own: a call may wait without end for a dialog on a screen without a user, cannot be
 * interrupted, and the exit of its process waits for it.
 */
import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { spawnProgram } from '../../core/child-program.js';
import { extractedFile, isExecutable } from '../../core/executable.js';

export interface EntryCall {
  readonly method: 'getSecret' | 'setSecret' | 'deleteCredential';
  readonly service: string;
  readonly name: string;
  /** Only with `setSecret`. */
  readonly value?: Uint8Array;
}

export interface Reply {
  readonly result?: unknown;
  readonly error?: string;
}

/** An unused process ends after this time; the next call starts another. */
const IDLE_MS = 1_000;

/** Starts with the first call. One call at a time. Does not keep this process alive between calls. */
export class KeychainProcess {
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** Rejects with an Error with the library's message, or if the process ends before it replies. */
  async call(call: EntryCall): Promise<unknown> {
    clearTimeout(this.#idle);
    const child = (this.#child ??= this.#start());
    child.ref();
    child.channel?.ref();
    const { result, error } = await new Promise<Reply>((resolve) => {
      child.once('message', (reply) => {
        resolve(reply as Reply);
      });
      child.once('error', ({ message }) => {
        resolve({ error: message });
      });
      child.once('exit', () => {
        resolve({ error: 'the process of the keychain ended' });
      });
      child.send(call, (sendError) => {
        if (sendError) resolve({ error: sendError.message });
      });
    });
    child.removeAllListeners('message').removeAllListeners('error').removeAllListeners('exit');
    child.on('error', () => undefined);
    if (!child.connected && this.#child === child) this.stop();
    child.unref();
    child.channel?.unref();
    this.#idle = setTimeout(this.stop, IDLE_MS).unref();
    if (error !== undefined) throw new Error(error);
    return result;
  }

  readonly stop = (): void => {
    process.removeListener('exit', this.stop);
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  };

  #start(): ChildProcess {
    const library = isExecutable
      ? extractedFile('keyring.node')
      : createRequire(import.meta.url).resolve('keytar');
    process.once('exit', this.stop);
    return spawnProgram(new URL('./keychain-worker.js', import.meta.url), [library], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
  }
}
