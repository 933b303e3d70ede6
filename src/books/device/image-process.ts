/**
 * A child process that decodes and encodes images with sharp, one at a time. In a process of its own a decoder can be
 * killed in the middle of an image, and what a hostile image does to it stays there.
 */
import type { ChildProcess } from 'node:child_process';
import { spawnProgram } from '../../core/child-program.js';
import { MAX_DECODED_PIXELS, resolveSharp } from '../convert-image.js';
import type { ImageDimensions } from '../../core/image-dimensions.js';
import type { PagePlan } from './plan-page.js';
import type { PageStatistics } from './page-statistics.js';

/** An encoded page of the book. */
export interface EncodedImage extends ImageDimensions {
  readonly data: Uint8Array;
  readonly extension: 'jpg' | 'png';
}

export interface RenderOptions extends PagePlan {
  readonly grayLevels: 16 | 256;
  /** An SVG that is drawn over the first part. */
  readonly overlay: string | undefined;
}

export interface OpenOptions {
  readonly image: Buffer;
  readonly reduced: ImageDimensions;
  readonly isColor: boolean;
  /** Decodes as much as can be of a broken image. */
  readonly isBroken: boolean;
}

export type Request =
  | { readonly type: 'open'; readonly request: OpenOptions }
  | { readonly type: 'render'; readonly request: RenderOptions };

export interface Reply {
  readonly result?: unknown;
  readonly error?: string;
  /** The process ended, or never ran, which says nothing of the image. */
  readonly hasEnded?: boolean;
}

/** The decoder refused the image. */
export class ImageRefused extends Error {}

export class ImageProcess {
  readonly #child: ChildProcess;
  #settle: ((reply: Reply) => void) | undefined;

  /** Call assertConverter first. `signal` kills the process. */
  constructor(private readonly signal: AbortSignal) {
    const program = new URL('./image-worker.js', import.meta.url);
    this.#child = spawnProgram(program, [resolveSharp(), String(MAX_DECODED_PIXELS)], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    this.#child.on('message', (reply) => this.#settle?.(reply as Reply));
    const end = (error: string) => this.#settle?.({ error, hasEnded: true });
    this.#child.on('error', ({ message }) => end(message));
    this.#child.on('exit', (code, name) =>
      end(`the decoder ended with ${name ?? `status ${code}`}`),
    );
    signal.addEventListener('abort', this.close);
    process.once('exit', this.close);
  }

  /**
   * Decodes the image, of a broken one as much as can be, and keeps it for `render`. Throws ImageRefused for an image that
   * is damaged.
   */
  open(image: Buffer, options: Omit<OpenOptions, 'image'>): Promise<PageStatistics> {
    const request = { image, ...options };
    return this.#send({ type: 'open', request }) as Promise<PageStatistics>;
  }

  render(options: RenderOptions): Promise<readonly EncodedImage[]> {
    return this.#send({ type: 'render', request: options }) as Promise<readonly EncodedImage[]>;
  }

  readonly close = (): void => {
    this.signal.removeEventListener('abort', this.close);
    process.removeListener('exit', this.close);
    this.#child.kill('SIGKILL');
  };

  async #send(request: Request): Promise<unknown> {
    const { error, result, hasEnded } = await new Promise<Reply>((resolve) => {
      this.#settle = resolve;
      if (!this.#child.connected) resolve({ error: 'the decoder ended', hasEnded: true });
      else
        this.#child.send(request, (sendError) => {
          if (sendError) resolve({ error: sendError.message, hasEnded: true });
        });
    });
    this.#settle = undefined;
    this.signal.throwIfAborted();
    if (error !== undefined) throw hasEnded ? new Error(error) : new ImageRefused(error);
    return result;
  }
}
