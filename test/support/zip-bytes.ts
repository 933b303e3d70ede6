/** ZIP archives byte by byte, as other programs write them: APPNOTE 4.3 and 4.5.3. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipMember {
  /** Bytes are a name whose encoding the archive does not say. */
  readonly name: string | Buffer;
  readonly content: Buffer;
  /** 8 is deflated; every other number is written as the method of stored bytes. */
  readonly method?: number;
  /** Size and checksum follow the data. */
  readonly hasDescriptor?: boolean;
  /** Sizes and position in the field of ZIP64. */
  readonly isZip64?: boolean;
}

interface ZipParts {
  readonly comment?: Buffer;
  /** Before the first entry, as in a self-extracting archive; positions count from the file's start. */
  readonly prefix?: Buffer;
}

const DEFLATED = 8;
const DESCRIPTOR_FLAG = 8;
const UTF8_FLAG = 0x800;
const IN_ZIP64 = 0xffff_ffff;

export function zipBytes(
  members: readonly ZipMember[],
  { comment = Buffer.alloc(0), prefix = Buffer.alloc(0) }: ZipParts = {},
): Buffer {
  const parts: Buffer[] = [prefix];
  const directory: Buffer[] = [];
  let position = prefix.length;
  for (const member of members) {
    const { local, header } = memberBytes(member, position);
    parts.push(local);
    directory.push(header);
    position += local.length;
  }
  const headers = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(headers.length, 12);
  end.writeUInt32LE(position, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, headers, end, comment]);
}

function memberBytes(member: ZipMember, position: number) {
  const { content, method = 0, hasDescriptor = false, isZip64 = false } = member;
  const name = typeof member.name === 'string' ? Buffer.from(member.name) : member.name;
  const encoding = typeof member.name === 'string' ? UTF8_FLAG : 0;
  const data = method === DEFLATED ? deflateRawSync(content) : content;
  const sums = Buffer.alloc(12);
  sums.writeUInt32LE(crc32(content), 0);
  sums.writeUInt32LE(isZip64 ? IN_ZIP64 : data.length, 4);
  sums.writeUInt32LE(isZip64 ? IN_ZIP64 : content.length, 8);
  const common = Buffer.alloc(10);
  common.writeUInt16LE(isZip64 ? 45 : 20, 0);
  common.writeUInt16LE(encoding | (hasDescriptor ? DESCRIPTOR_FLAG : 0), 2);
  common.writeUInt16LE(method, 4);
  const localExtra = isZip64 ? zip64Field([content.length, data.length]) : Buffer.alloc(0);
  const extra = isZip64 ? zip64Field([content.length, data.length, position]) : Buffer.alloc(0);
  const local = Buffer.concat([
    uint32(0x04034b50),
    common,
    hasDescriptor ? Buffer.alloc(12) : sums,
    uint16(name.length),
    uint16(localExtra.length),
    name,
    localExtra,
    data,
    ...(hasDescriptor ? [uint32(0x08074b50), sums] : []),
  ]);
  const header = Buffer.concat([
    uint32(0x02014b50),
    uint16(20),
    common,
    sums,
    uint16(name.length),
    uint16(extra.length),
    Buffer.alloc(10),
    uint32(isZip64 ? IN_ZIP64 : position),
    name,
    extra,
  ]);
  return { local, header };
}

function zip64Field(numbers: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * numbers.length);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8 * numbers.length, 2);
  for (const [index, number] of numbers.entries())
    field.writeBigUInt64LE(BigInt(number), 4 + 8 * index);
  return field;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
