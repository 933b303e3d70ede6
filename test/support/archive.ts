/** Reads archives through yauzl, which shares no code with the writer, and checks the CRC-32 of each entry. */
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { ZipArchive } from 'archiver';
import yauzl, { type Entry } from 'yauzl';

export interface ArchiveEntry {
  readonly name: string;
  readonly bytes: Buffer;
  /** The entry's record in the central directory. */
  readonly record: Entry;
}

const METADATA_NAMES: ReadonlySet<string> = new Set(['ComicInfo.xml', 'META-INF/tankobon.json']);
const END_SIGNATURE = 'PK\u0005\u0006';
const END_RECORD_BYTES = 22;

/** The entries in order. Rejects where the archive is damaged or incomplete. */
export async function readArchive(file: string): Promise<ArchiveEntry[]> {
  const zip = await yauzl.openPromise(file, { lazyEntries: true, autoClose: false });
  try {
    const entries: ArchiveEntry[] = [];
    for await (const record of zip.eachEntry()) {
      const bytes = await buffer(await zip.openReadStreamPromise(record));
      if (crc32(bytes) !== record.crc32) throw new Error(`${record.fileName}: wrong CRC-32`);
      entries.push({ name: record.fileName, bytes, record });
    }
    return entries;
  } finally {
    zip.close();
  }
}

/** The entries that are pages, in order. */
export async function readPages(file: string): Promise<Buffer[]> {
  const entries = await readArchive(file);
  return entries.filter(({ name }) => !METADATA_NAMES.has(name)).map(({ bytes }) => bytes);
}

/** The text of one entry. */
export async function readEntry(file: string, name: string): Promise<string> {
  const entry = (await readArchive(file)).find((each) => each.name === name);
  if (!entry) throw new Error(`${file} has no entry ${name}`);
  return entry.bytes.toString('utf8');
}

/** The archive's comment, as UTF-8. */
export async function readComment(file: string): Promise<string> {
  const bytes = await readFile(file);
  const end = bytes.lastIndexOf(END_SIGNATURE, undefined, 'latin1');
  return bytes.subarray(end + END_RECORD_BYTES).toString('utf8');
}

/** An archive that another program might have written. */
export async function writeArchive(
  file: string,
  entries: Readonly<Record<string, string | Buffer>>,
  comment = '',
): Promise<void> {
  const archive = new ZipArchive({ comment });
  const written = pipeline(archive, createWriteStream(file));
  for (const [name, content] of Object.entries(entries)) archive.append(content, { name });
  await archive.finalize();
  await written;
}
