/** The few pieces of DER (ITU-T X.690) that a certificate is made of: each a tag, a length, and the bytes. */

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const lengthBytes = Buffer.from(length.toString(16).padStart(length < 0x100 ? 2 : 4, '0'), 'hex');
  return Buffer.concat([Buffer.of(tag, 0x80 | lengthBytes.length), lengthBytes, content]);
}

export const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));
export const set = (...parts: readonly Buffer[]): Buffer => tagged(0x31, Buffer.concat(parts));
export const octets = (content: Buffer): Buffer => tagged(0x04, content);
/** A whole number of bits. */
export const bits = (content: Buffer): Buffer =>
  tagged(0x03, Buffer.concat([Buffer.of(0), content]));
/** The named bits of a `BIT STRING`, the first being the highest of the byte, with the rest left off. */
export const namedBits = (byte: number, unused: number): Buffer =>
  tagged(0x03, Buffer.of(unused, byte));
export const yes = (): Buffer => tagged(0x01, Buffer.of(0xff));
export const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text));

/** A positive integer from its bytes, the highest first. */
export function integer(bytes: Buffer): Buffer {
  const negative = ((bytes[0] ?? 0) & 0x80) !== 0;
  return tagged(0x02, negative ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

/** A context-specific tag around other pieces. */
export const inContext = (number: number, ...parts: readonly Buffer[]): Buffer =>
  tagged(0xa0 | number, Buffer.concat(parts));
/** A context-specific tag in place of a piece's own. */
export const asContext = (number: number, content: Buffer): Buffer =>
  tagged(0x80 | number, content);

/** An object identifier such as `2.5.29.17`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const base128 = (value: number): number[] => {
    const bytes = [value & 0x7f];
    for (let left = value >>> 7; left > 0; left >>>= 7) bytes.unshift((left & 0x7f) | 0x80);
    return bytes;
  };
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** A moment before 2050, to the second. */
export function utcTime(at: Date): Buffer {
  const digits = at.toISOString().replace(/\D/g, '').slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`, 'latin1'));
}
