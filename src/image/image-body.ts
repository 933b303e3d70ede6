/** The bytes of one load as far as they have arrived, and what they come to. */
import { createHash } from 'node:crypto';
import { SIGNATURE_BYTES } from './format.js';

/** What has arrived of a body: counted, its first bytes kept; and what of it was hashed. */
export class ImageBody {
  bytes = 0;
  head: Buffer = Buffer.alloc(0);
  readonly #hash = createHash('sha256');

  constructor(private readonly mostBytes: number) {}

  /** Takes a chunk; false once the body is larger than a page may be. */
  take(chunk: Buffer): boolean {
    this.bytes += chunk.length;
    if (this.head.length < SIGNATURE_BYTES) {
      this.head = Buffer.concat([this.head, chunk.subarray(0, SIGNATURE_BYTES - this.head.length)]);
    }
    return this.bytes <= this.mostBytes;
  }

  /** Takes the same bytes again, in the same order, in whatever pieces. */
  hash(piece: Buffer): void {
    this.#hash.update(piece);
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}
