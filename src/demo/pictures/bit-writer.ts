/** Gathers the bits of a JPEG's scan into bytes, and codes symbols by the tables of Huffman codes (ITU-T T.81). */
import type { HuffmanTable } from './jpeg-tables.js';

/** The code of each symbol, and its length in bits (annex C). */
export interface Codes {
  readonly code: Uint16Array;
  readonly length: Uint8Array;
}

export function codesOf({ counts, symbols }: HuffmanTable): Codes {
  const codes = { code: new Uint16Array(256), length: new Uint8Array(256) };
  let code = 0;
  let next = 0;
  for (const [index, count] of counts.entries()) {
    for (const symbol of symbols.slice(next, next + count)) {
      codes.code[symbol] = code;
      codes.length[symbol] = index + 1;
      code += 1;
    }
    next += count;
    code <<= 1;
  }
  return codes;
}

/** A byte of ones is followed by one of zeros, so that it is no marker (F.1.2.3). */
export class BitWriter {
  #bytes: Uint8Array;
  #length = 0;
  #held = 0;
  #count = 0;

  /** Begins with room for so many bytes; there is more when it is needed. */
  constructor(room: number) {
    this.#bytes = new Uint8Array(room + 4);
  }

  /** At most 16 bits. */
  write(bits: number, length: number): void {
    let held = (this.#held << length) | bits;
    let count = this.#count + length;
    while (count >= 8) {
      count -= 8;
      this.#add((held >> count) & 0xff);
    }
    held &= (1 << count) - 1;
    this.#held = held;
    this.#count = count;
  }

  put(codes: Codes, symbol: number): void {
    this.write(codes.code[symbol] ?? 0, codes.length[symbol] ?? 0);
  }

  /** Fills the last byte with ones, and gives all. */
  ended(): Uint8Array {
    if (this.#count > 0) {
      this.write(0xff >> this.#count, 8 - this.#count);
    }
    return this.#bytes.subarray(0, this.#length);
  }

  #add(byte: number): void {
    if (this.#length + 2 > this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length] = byte;
    this.#length += 1;
    if (byte === 0xff) {
      this.#bytes[this.#length] = 0;
      this.#length += 1;
    }
  }
}
