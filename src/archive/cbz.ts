/**
 * Writes a chapter's pages as a CBZ: a ZIP whose entries are stored, in page order, with `ComicInfo.xml` last.
 * The same pages give the same bytes each time, so nothing in it comes from the clock, the user, the machine
 * or its time zone. It is written aside, checked against what was announced, synced and only then renamed.
 */
import { open, mkdir, readFile, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { ZipArchive } from 'archiver';
import { StorageError } from '../kernel/errors.js';
import { asideName, asStorageError, putInPlace, statIfThere } from '../kernel/files.js';
import { assertArchive, type AnnouncedEntry } from './cbz-check.js';
import { COMIC_INFO_NAME } from './comic-info.js';

export interface CbzPage {
  readonly file: string;
  /** Without the dot: `png`. From the page's bytes, not from its name. */
  readonly extension: string;
  /** What the page was when it was proven; another length now is an error. */
  readonly bytes: number;
}

export interface Cbz {
  /** The final path; folders on the way to it are made. What stands there is replaced. */
  readonly file: string;
  readonly pages: readonly CbzPage[];
  /** The text of `ComicInfo.xml`; left out where there is no metadata. */
  readonly comicInfo?: string;
  /** The archive's comment, at most 65,535 bytes of UTF-8. */
  readonly comment?: string;
  readonly signal?: AbortSignal;
}

/** ZIP's first moment: the same in every archive. archiver writes it in UTC. */
const ENTRY_DATE = new Date(Date.UTC(1980, 0, 1));
const ENTRY_MODE = 0o644;
/** From here on the plain end record would overflow; the margin is for headers. */
const ZIP64_BYTES = 2 ** 32 - 2 ** 27;
const ZIP64_ENTRIES = 0xffff;
/** Small pages may wait for one another in the archive; a page of this size or more is written at once. */
const MOST_WAITING_BYTES = 2 ** 20;

/**
 * Writes the CBZ, whole or not at all. Holds about one page in memory at a time.
 * Rejects with StorageError (`archive-wrong` where the result is not what was announced), or with the signal's
 * reason when aborted; in either case nothing is left behind.
 */
export async function writeCbz(cbz: Cbz): Promise<{ bytes: number }> {
  cbz.signal?.throwIfAborted();
  try {
    await mkdir(dirname(cbz.file), { recursive: true });
    if ((await statIfThere(cbz.file))?.isFile() === false) {
      throw new StorageError('name-taken', `Something that is no file stands at ${cbz.file}.`);
    }
    const aside = asideName(cbz.file);
    try {
      const entries = await writeAside(aside, cbz);
      const bytes = await assertArchive(aside, entries, cbz.comment ?? '');
      cbz.signal?.throwIfAborted();
      await putInPlace(aside, cbz.file);
      return { bytes };
    } finally {
      await rm(aside, { force: true });
    }
  } catch (error) {
    throw asStorageError(error, cbz.file);
  }
}

/** The pages' names in the archive: `001.png`, with as many digits as the last one needs, and three at least. */
export function pageNames(extensions: readonly string[]): string[] {
  const digits = Math.max(3, String(extensions.length).length);
  return extensions.map(
    (extension, index) => `${String(index + 1).padStart(digits, '0')}.${extension}`,
  );
}

async function writeAside(aside: string, cbz: Cbz): Promise<AnnouncedEntry[]> {
  const { ZipArchive } = await import('archiver');
  const handle = await open(aside, 'wx');
  try {
    const archive = new ZipArchive({
      store: true,
      forceZip64: needsZip64(cbz),
      comment: cbz.comment ?? '',
    });
    try {
      return await writeEntries(archive, handle, cbz);
    } finally {
      archive.abort();
      archive.destroy();
    }
  } finally {
    await handle.close();
  }
}

async function writeEntries(
  archive: ZipArchive,
  handle: FileHandle,
  cbz: Cbz,
): Promise<AnnouncedEntry[]> {
  const sink = sinkInto(archive, handle, cbz.signal);
  const announced: AnnouncedEntry[] = [];
  let payloadBytes = 0;
  const add = async (name: string, data: Buffer): Promise<void> => {
    // A buffer, not a stream: so size and CRC stand before the data, and readers that stream can follow.
    archive.append(data, { name, date: ENTRY_DATE, mode: ENTRY_MODE });
    announced.push({ name, bytes: data.length, crc32: crc32(data) });
    payloadBytes += data.length;
    if (payloadBytes - sink.writtenBytes() >= MOST_WAITING_BYTES) await sink.drain(payloadBytes);
  };
  const names = pageNames(cbz.pages.map((page) => page.extension));
  for (const [index, page] of cbz.pages.entries()) {
    await add(names[index] ?? '', await readPage(page, cbz.signal));
  }
  if (cbz.comicInfo !== undefined) await add(COMIC_INFO_NAME, Buffer.from(cbz.comicInfo, 'utf8'));
  const finished = archive.finalize();
  await Promise.all([finished, sink.drain(Number.POSITIVE_INFINITY)]);
  await handle.sync();
  return announced;
}

async function readPage(page: CbzPage, signal: AbortSignal | undefined): Promise<Buffer> {
  signal?.throwIfAborted();
  const data = await readFile(page.file, signal ? { signal } : {});
  if (data.length === page.bytes) return data;
  throw new StorageError(
    'archive-wrong',
    `The page ${page.file} has ${data.length} bytes, not the ${page.bytes} that it had when it was loaded.`,
  );
}

interface Sink {
  /** Writes what the archive gives until the file holds at least so many bytes, or the archive ends. */
  drain(untilBytes: number): Promise<void>;
  writtenBytes(): number;
}

/** Takes from the archive only as much as is asked for, so that pages do not pile up in it. */
function sinkInto(archive: ZipArchive, handle: FileHandle, signal: AbortSignal | undefined): Sink {
  const chunks = archive[Symbol.asyncIterator]() as AsyncIterator<Buffer, unknown>;
  let writtenBytes = 0;
  return {
    writtenBytes: () => writtenBytes,
    async drain(untilBytes) {
      while (writtenBytes < untilBytes) {
        signal?.throwIfAborted();
        const next = await chunks.next();
        if (next.done === true) return;
        await handle.writeFile(next.value);
        writtenBytes += next.value.length;
      }
    },
  };
}

function needsZip64(cbz: Cbz): boolean {
  const bytes = cbz.pages.reduce((sum, page) => sum + page.bytes, cbz.comicInfo?.length ?? 0);
  return bytes >= ZIP64_BYTES || cbz.pages.length + 1 >= ZIP64_ENTRIES;
}
