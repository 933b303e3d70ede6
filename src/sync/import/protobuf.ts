/** Reads the fields of a protobuf message, without a schema (protobuf.dev, "Encoding"). */

export interface ProtobufField {
  readonly number: number;
  /** The bytes of a text or a message, or a number. */
  readonly value: Buffer | bigint;
}

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;
const MAX_VARINT_BYTES = 10;

/** Throws Error for bytes that are not a message. The values share the memory of `message`. */
export function* readFields(message: Buffer): Generator<ProtobufField> {
  let offset = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let count = 0; count < MAX_VARINT_BYTES; count += 1) {
      const byte = message[offset];
      if (byte === undefined) throw new Error('it ends within a number');
      offset += 1;
      value |= BigInt(byte & 0x7f) << BigInt(7 * count);
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error('it has a number that is too long');
  };
  const bytes = (length: bigint): Buffer => {
    if (length > BigInt(message.length - offset)) throw new Error('it ends within a field');
    const value = message.subarray(offset, offset + Number(length));
    offset += Number(length);
    return value;
  };
  while (offset < message.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    if (number === 0) throw new Error('it has a field without a number');
    switch (Number(tag & 7n)) {
      case VARINT:
        yield { number, value: varint() };
        break;
      case FIXED_64:
        yield { number, value: bytes(8n) };
        break;
      case BYTES:
        yield { number, value: bytes(varint()) };
        break;
      case FIXED_32:
        yield { number, value: bytes(4n) };
        break;
      default:
        throw new Error('it has a field of an unknown type');
    }
  }
}
