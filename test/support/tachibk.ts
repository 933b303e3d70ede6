/** Backups as Mihon and Tachiyomi write them: gzip of a protobuf message (field numbers: Mihon, BackupManga). */
import { gzipSync } from 'node:zlib';

export interface BackedUpManga {
  readonly address: string;
  readonly title: string;
  /** The writer leaves it out where it is true. */
  readonly favorite?: boolean;
}

function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

const numberField = (number: number, value: number | bigint): Buffer =>
  Buffer.concat([varint((number << 3) | 0), varint(value)]);

export function bytesField(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

/** A 32-bit number, such as the offset of a page in a backed up chapter. */
const fixedField = (number: number): Buffer =>
  Buffer.concat([varint((number << 3) | 5), Buffer.alloc(4, 1)]);

export function backupMessage(mangas: readonly BackedUpManga[]): Buffer {
  const messages = mangas.map(({ address, title, favorite = true }) =>
    bytesField(
      1,
      Buffer.concat([
        numberField(1, 2_499_283_573_021_220_255n),
        bytesField(2, address),
        bytesField(3, title),
        // A chapter, whose fields are skipped.
        bytesField(16, Buffer.concat([bytesField(1, '/chapter/1'), fixedField(9)])),
        ...(favorite ? [] : [numberField(100, 0)]),
      ]),
    ),
  );
  const source = bytesField(101, Buffer.concat([bytesField(1, 'MangaDex'), numberField(2, 7)]));
  return Buffer.concat([...messages, source]);
}

export const tachibk = (mangas: readonly BackedUpManga[]): Buffer =>
  gzipSync(backupMessage(mangas));
