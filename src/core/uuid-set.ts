/** A set of UUIDs that takes about 22 bytes for each of them. As strings in a Set, they take over a hundred. */

const WORDS = 4;
const MIN_SIZE = 50;
const MAX_FILL = 0.75;
/** The golden ratio's fraction of 2³², which spreads the bits of a hash. */
const MULTIPLIER = 0x9e3779b1;

/** The nil UUID, which identifies nothing, is never in a set: it marks the free places of the hash table. */
export class UuidSet {
  #table: Uint32Array;
  #size = 0;
  /** A file cannot be made so that all its ids have the same hash. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32);
  /** The UUID that is looked up. */
  readonly #words = new Uint32Array(WORDS);

  /** `expectedSize`: a set that becomes larger than this is copied. */
  constructor(expectedSize = MIN_SIZE) {
    this.#table = tableFor(Math.max(expectedSize, MIN_SIZE));
  }

  get size(): number {
    return this.#size;
  }

  /** In any case of its letters. False for a text that is not a UUID. */
  has(uuid: string): boolean {
    return parseUuid(uuid, this.#words) && !this.#isFree(this.#find(this.#words, 0));
  }

  /** Returns false if the set has the UUID, and for a text that is not one. */
  add(uuid: string): boolean {
    if (!parseUuid(uuid, this.#words)) return false;
    const place = this.#find(this.#words, 0);
    if (!this.#isFree(place)) return false;
    this.#table.set(this.#words, place);
    this.#size += 1;
    if (this.#size * WORDS > this.#table.length * MAX_FILL) this.#grow();
    return true;
  }

  /** Where the UUID at this position of `words` is in the table, or the free place for it. */
  #find(words: Uint32Array, position: number): number {
    const { length } = this.#table;
    let hash = this.#seed;
    for (let index = 0; index < WORDS; index += 1) {
      hash = Math.imul(hash ^ (words[position + index] ?? 0), MULTIPLIER);
      hash ^= hash >>> 15;
    }
    let place = ((hash >>> 0) * WORDS) % length;
    while (!this.#isFree(place) && !this.#isAt(place, words, position))
      place = (place + WORDS) % length;
    return place;
  }

  #isFree(place: number): boolean {
    return isNil(this.#table, place);
  }

  #isAt(place: number, words: Uint32Array, position: number): boolean {
    for (let index = 0; index < WORDS; index += 1)
      if (this.#table[place + index] !== words[position + index]) return false;
    return true;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = tableFor(2 * this.#size);
    for (let position = 0; position < old.length; position += WORDS)
      if (!isNil(old, position))
        this.#table.set(old.subarray(position, position + WORDS), this.#find(old, position));
  }
}

function tableFor(size: number): Uint32Array {
  return new Uint32Array(Math.ceil(size / MAX_FILL) * WORDS);
}

function isNil(words: Uint32Array, position: number): boolean {
  for (let index = 0; index < WORDS; index += 1) if (words[position + index] !== 0) return false;
  return true;
}

const LENGTH = 36;
const HYPHENS: ReadonlySet<number> = new Set([8, 13, 18, 23]);
const HYPHEN = 0x2d;
const DIGITS_OF_WORD = 8;

/** A loop instead of a pattern: a history has a million of them. False for the nil UUID, and for any other text. */
function parseUuid(text: string, words: Uint32Array): boolean {
  if (text.length !== LENGTH) return false;
  let digits = 0;
  let word = 0;
  for (let at = 0; at < LENGTH; at += 1) {
    const code = text.charCodeAt(at);
    if (HYPHENS.has(at)) {
      if (code !== HYPHEN) return false;
      continue;
    }
    const digit = hexDigit(code);
    if (digit === undefined) return false;
    word = word * 16 + digit;
    digits += 1;
    if (digits % DIGITS_OF_WORD > 0) continue;
    words[digits / DIGITS_OF_WORD - 1] = word;
    word = 0;
  }
  return !isNil(words, 0);
}

const [ZERO, NINE, A, F] = [0x30, 0x39, 0x61, 0x66];
const LOWER_CASE = 0x20;

function hexDigit(code: number): number | undefined {
  if (code >= ZERO && code <= NINE) return code - ZERO;
  const letter = code | LOWER_CASE;
  return letter >= A && letter <= F ? letter - A + 10 : undefined;
}
