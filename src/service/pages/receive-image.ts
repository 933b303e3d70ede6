/** Receives the body of one image: writes it to its file, hashes it, and checks it. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../core/clock.js';
import { countChunk } from '../../core/gc-tuning.js';
import { removeFile, replaceFile, writeBuffers } from '../../core/files.js';
import { imageExtension, SIGNATURE_BYTES } from '../../core/image-format.js';
import { BufferedBody } from '../requests/buffered-body.js';
import {
  checkImage,
  checkStatus,
  failed,
  notAnImage,
  type ImageBody,
  type ImageCheck,
} from './image-check.js';

export interface ReceiveOptions {
  /** Created or replaced; removed if no image was received. */
  readonly file: string;
  /** See NewFileOptions. */
  readonly maxMode?: number;
  /** The sha256 in the file name, lower-case hex. */
  readonly expectedDigest?: string;
  /**
   * Called at most once, when the first bytes have arrived: gives the buffer that collects them before they are written,
   * which belongs to this load alone. See allocatePageBuffer.
   */
  readonly takeBuffer?: () => Buffer;
  /** Called with the size of each chunk. */
  readonly onBytes?: (bytes: number) => void;
  /**
   * Called after the last byte of an image that fits into `buffer`: the connection is free while the image is hashed.
   * A larger image is hashed as it arrives and keeps its slot until it is verified.
   */
  readonly onReceived?: () => void;
}

/** Most pages fit: they are written with one call, and hashed while the next page is requested. */
const BUFFER_BYTES = 1024 * 1024;
const MAX_ERROR_PAGE_BYTES = 64 * 1024;

/** A buffer for `ReceiveOptions.takeBuffer`: reused for many pages, so that they cause no garbage. */
export function allocatePageBuffer(): Buffer {
  return Buffer.allocUnsafeSlow(BUFFER_BYTES);
}

export class ImageReceiver implements ImageBody {
  bytes = 0;
  head: Buffer = Buffer.alloc(0);
  receivedAtMs: number | undefined;
  /** Time spent waiting for the bandwidth limit. */
  pausedMs = 0;
  /** It covers the whole body, like the digest. */
  crc32 = 0;
  /** The request of the response takes it, unless the rate is limited: that waits between chunks. */
  readonly body: BufferedBody;
  readonly #hash = createHash('sha256');
  #bufferedBytes = 0;
  /** Opened with the first write. */
  #file: FileHandle | undefined;
  /** Larger than the buffer. */
  #isLarge = false;
  /** It is set if its body goes straight into the buffer. */
  #response: IncomingMessage | undefined;
  #isRefused = false;

  constructor(
    private readonly request: ReceiveOptions,
    private readonly maxBytes: number,
    private readonly clock: Clock,
    private readonly pause: (bytes: number) => Promise<void>,
  ) {
    this.body = new BufferedBody(request.takeBuffer ?? allocatePageBuffer, (bytes) => {
      this.bytes += bytes;
      this.#bufferedBytes += bytes;
      this.#checkSignature();
      request.onBytes?.(bytes);
    });
  }

  /** Whether the body goes straight into the buffer: the response has one byte in its place. */
  get isBuffered(): boolean {
    return this.body.length !== undefined;
  }

  digest(): string {
    return this.#hash.digest('hex');
  }

  /** The whole body, until its buffer is reused; undefined for a body that is larger. */
  get content(): Buffer | undefined {
    return this.#isLarge ? undefined : this.body.buffer.subarray(0, this.bytes);
  }

  async read(): Promise<Buffer> {
    const { content } = this;
    if (content) return content;
    const target = Buffer.alloc(this.bytes);
    const file = await this.#openFile();
    const { buffer, bytesRead } = await local(file.read(target, 0, this.bytes, 0));
    return buffer.subarray(0, bytesRead);
  }

  async receive(response: IncomingMessage): Promise<ImageCheck> {
    const refusal = checkStatus(response.statusCode ?? 0);
    if (refusal) {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        this.#count(chunk);
        if (this.bytes >= MAX_ERROR_PAGE_BYTES) break;
      }
      return refusal;
    }
    let check: ImageCheck | undefined;
    try {
      check = await this.#store(response);
      return check;
    } finally {
      if (this.#file) await local(this.#file.close());
      if (!check?.ok && !check?.image) await local(removeFile(this.request.file));
    }
  }

  async #store(response: IncomingMessage): Promise<ImageCheck> {
    const refusal = await (this.isBuffered
      ? this.#awaitBody(response)
      : this.#readChunks(response));
    if (refusal) return refusal;
    this.receivedAtMs = this.clock.monotonicMs();
    if (!this.#isLarge) {
      this.request.onReceived?.();
      // Lets the next page send its request before this one is hashed.
      await setImmediate();
    }
    if (this.#bufferedBytes > 0) await this.#flush();
    return checkImage(response, this.request.expectedDigest, this);
  }

  /** Resolves when the buffer has the whole body, or with why it is not read further. */
  async #awaitBody(response: IncomingMessage): Promise<ImageCheck | undefined> {
    const { length = 0 } = this.body;
    if (length > this.maxBytes) return tooLarge(length, 'announced');
    this.#response = response;
    this.#checkSignature();
    try {
      await finished(response.resume());
    } catch (error) {
      if (this.#isRefused) return notAnImage(response);
      throw error;
    }
    this.#takeHead();
    return undefined;
  }

  /** Ends a response that does not begin like an image. */
  #checkSignature(): void {
    if (!this.#response || this.bytes < SIGNATURE_BYTES || this.head.length > 0) return;
    this.#takeHead();
    if (imageExtension(this.head)) return;
    this.#isRefused = true;
    this.#response.destroy();
  }

  #takeHead(): void {
    this.head = this.body.buffer.subarray(0, Math.min(this.bytes, SIGNATURE_BYTES));
  }

  /** Resolves as `#awaitBody` does. */
  async #readChunks(response: IncomingMessage): Promise<ImageCheck | undefined> {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      const hadSignature = this.head.length >= SIGNATURE_BYTES;
      this.#count(chunk);
      if (this.bytes > this.maxBytes) return tooLarge(this.bytes, 'received');
      if (!hadSignature && this.head.length >= SIGNATURE_BYTES && !imageExtension(this.head))
        return notAnImage(response);
      countChunk(chunk.length);
      this.request.onBytes?.(chunk.length);
      await this.#append(chunk);
      await this.#pause(chunk.length);
    }
    return undefined;
  }

  async #pause(bytes: number): Promise<void> {
    const startedMs = this.clock.monotonicMs();
    await this.pause(bytes);
    this.pausedMs += this.clock.monotonicMs() - startedMs;
  }

  #count(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.head.length < SIGNATURE_BYTES)
      this.head = Buffer.concat([this.head, chunk.subarray(0, SIGNATURE_BYTES - this.head.length)]);
  }

  async #append(chunk: Buffer): Promise<void> {
    for (let copied = 0; copied < chunk.length;) {
      const bytes = chunk.copy(this.body.buffer, this.#bufferedBytes, copied);
      copied += bytes;
      this.#bufferedBytes += bytes;
      if (this.#bufferedBytes < this.body.buffer.length) continue;
      this.#isLarge = true;
      await this.#flush();
    }
  }

  async #openFile(): Promise<FileHandle> {
    const { file, maxMode } = this.request;
    return (this.#file ??= await local(replaceFile(file, { maxMode })));
  }

  /** Hashes the buffered bytes while they are written. */
  async #flush(): Promise<void> {
    const file = await this.#openFile();
    const bytes = this.body.buffer.subarray(0, this.#bufferedBytes);
    const writing = local(writeBuffers(file, [bytes]));
    this.#hash.update(bytes);
    this.crc32 = crc32(bytes, this.crc32);
    await writing;
    this.#bufferedBytes = 0;
  }
}

function tooLarge(bytes: number, how: 'announced' | 'received'): ImageCheck {
  return failed('too-large', `The response is too large: ${bytes} bytes ${how}.`);
}

/** A failure of our own disk or process, which is not reported as one of the node. */
export class LocalFailure extends Error {}

function local<T>(operation: Promise<T>): Promise<T> {
  return operation.catch((cause: unknown) => {
    throw new LocalFailure('A local file operation failed.', { cause });
  });
}
