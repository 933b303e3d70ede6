/**
 * Converts images losslessly to PNG with sharp, which users install themselves: it is native, and large. Each image has a
 * process of its own, since a thread of sharp cannot be interrupted, and the exit of a process waits for it.
 */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { buffer, text } from 'node:stream/consumers';
import { MAX_DECODED_BYTES } from '../core/decoded-size.js';
import { spawnProgram } from '../core/child-program.js';
import { UsageError } from '../core/errors.js';
import { isSystemError } from '../core/files.js';

/** sharp itself decodes to at least RGB. */
export const MAX_DECODED_PIXELS = Math.floor(MAX_DECODED_BYTES / 3);
/** Throws UsageError `no-converter` without sharp, or if it does not run here. */
export async function assertConverter(): Promise<void> {
  try {
    await import('sharp');
  } catch (cause) {
    if (isSystemError(cause, 'ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND')) {
      const message = 'Images cannot be decoded: the package sharp is not installed.';
      throw new UsageError('no-converter', message, { cause });
    }
    // sharp says at length that there is no binary for this platform.
    const message = 'Images cannot be decoded: the package sharp has no binary for this platform.';
    const hint = 'Install its WebAssembly build: npm install --global --cpu=wasm32 sharp';
    throw new UsageError('no-converter', message, { cause, hint });
  }
}

/** The path of sharp's main module, for a child process. */
export function resolveSharp(): string {
  return createRequire(import.meta.url).resolve('sharp');
}

/** Call assertConverter first. Throws Error for a damaged image, and the signal's reason. */
export async function convertToPng(image: Buffer, signal: AbortSignal): Promise<Buffer> {
  const program = new URL('./png-converter.js', import.meta.url);
  const child = spawnProgram(program, [resolveSharp(), String(MAX_DECODED_PIXELS)]);
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  signal.addEventListener('abort', kill);
  process.once('exit', kill);
  try {
    // The process may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(image);
    const ended = once(child, 'close');
    const [png, message] = await Promise.all([buffer(child.stdout), text(child.stderr)]);
    const [code] = (await ended) as [number | null];
    signal.throwIfAborted();
    if (code !== 0) throw new Error(message.split('\n')[0] ?? 'sharp failed');
    return png;
  } finally {
    signal.removeEventListener('abort', kill);
    process.removeListener('exit', kill);
  }
}
