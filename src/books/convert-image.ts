/**
 * Converts images losslessly to PNG with sharp, which users install themselves: it is native, and large. Each image has a
 * process of its own, since a thread of sharp cannot be interrupted, and the exit of a process waits for it.
 */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { MAX_DECODED_BYTES } from '../core/decoded-size.js';
import { spawnProgram } from '../core/child-program.js';
import { UsageError } from '../core/errors.js';
import { isExecutable } from '../core/executable.js';
import { isSystemError } from '../core/files.js';
import { shellQuoted } from '../core/shell-quoted.js';

const requireInstalled = createRequire(import.meta.url);

/** sharp itself decodes to at least RGB. */
export const MAX_DECODED_PIXELS = Math.floor(MAX_DECODED_BYTES / 3);
/** Throws UsageError `no-converter` without sharp, or if it does not run here. */
export function assertConverter(): void {
  try {
    requireInstalled('sharp');
  } catch (cause) {
    if (isSystemError(cause, 'ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND')) {
      const message = 'Images cannot be decoded: the package sharp is not installed.';
      throw new UsageError('no-converter', message, {
        cause,
        ...(isExecutable && { hint: besideExecutable('sharp') }),
      });
    }
    // sharp says at length that there is no binary for this platform.
    const message = 'Images cannot be decoded: the package sharp has no binary for this platform.';
    const hint = isExecutable
      ? besideExecutable('--cpu=wasm32 sharp')
      : 'Install its WebAssembly build: npm install --global --cpu=wasm32 sharp';
    throw new UsageError('no-converter', message, { cause, hint });
  }
}

export function hasConverter(): boolean {
  try {
    assertConverter();
    return true;
  } catch {
    return false;
  }
}

/** The path of sharp's main module, for a child process. */
export function resolveSharp(): string {
  return requireInstalled.resolve('sharp');
}

/** Found in a `node_modules` of the folder of the executable, or of one above it. */
function besideExecutable(what: string): string {
  const folder = shellQuoted(dirname(process.execPath));
  return `Install it beside the executable, with npm of Node.js: npm install --prefix ${folder} ${what}`;
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
