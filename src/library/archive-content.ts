/**
 * Reads which chapters a file contains: only its end, or the record and `ComicInfo.xml` if the archive has no comment of
 * ours.
 */
import { basename } from 'node:path';
import type { Entry, ZipFile } from 'yauzl';
import { fileErrorReason, openForReading, type OpenOptions } from '../core/files.js';
import {
  isBoundComment,
  manifestIdentities,
  manifestKeys,
  MANIFEST_NAME,
  MAX_MANIFEST_BYTES,
  readPdfManifest,
} from './bound-manifest.js';
import { COMIC_INFO_NAME, MAX_COMIC_INFO_BYTES } from './comic-info.js';
import {
  parseComicInfoIdentity,
  parseIdentityComment,
  type CbzIdentity,
  type FoundIdentity,
} from './identity.js';
import { readEntryText, withZip } from './zip-file.js';

/** Later entries are not searched; the manifest of a bound file is one of the first. */
export const MAX_ENTRIES = 20_000;

/** The chapter of an archive, undefined if it names none, or an error message if it cannot be read. */
type ScannedIdentity = FoundIdentity | string | undefined;

/** Resolves with undefined if the archive is not of one chapter, and with an error message if it cannot be read. */
export async function readIdentity(file: string): Promise<ScannedIdentity> {
  const { identities, isBound, readError } = await readContent(file);
  return readError ?? (isBound ? undefined : identities[0]);
}

export interface FoundChapters {
  readonly identities: readonly FoundIdentity[];
  readonly isBound: boolean;
}

export interface ArchiveContent extends FoundChapters {
  /** The file has tankobon's own mark. */
  readonly isMarked: boolean;
  /** Why the file cannot be read. */
  readonly readError?: string;
  readonly cause?: unknown;
}

export const EMPTY_CONTENT: ArchiveContent = { identities: [], isBound: false, isMarked: false };

/** A chapter that another user saved, or to which a link leads, is not downloaded again. */
const FOR_IDENTITY: OpenOptions = { anyOwner: true };

/**
 * Never rejects. `isRegular`: the file is known not to be a link, a pipe, a socket or a device. `name` says which format
 * the file has.
 */
export async function readContent(
  file: string,
  isRegular = false,
  name = file,
): Promise<ArchiveContent> {
  try {
    if (basename(name) === COMIC_INFO_NAME) return await chapterFolder(file);
    if (/\.pdf$/i.test(name)) return await pdfContent(file);
    const options = { ...FOR_IDENTITY, isRegular, followsLink: !isRegular };
    return (
      (await withZip(file, zipContent, options)) ?? {
        ...EMPTY_CONTENT,
        readError: 'not a regular file',
      }
    );
  } catch (error) {
    return { ...EMPTY_CONTENT, readError: fileErrorReason(error), cause: error };
  }
}

/** The chapters of a truncated PDF are not there. */
async function pdfContent(file: string): Promise<ArchiveContent> {
  const manifest = await readPdfManifest(file, FOR_IDENTITY);
  return boundContent(manifest?.isWhole === true ? manifest.text : undefined);
}

/** A folder of images, as `bind --format folder` writes it for each chapter. */
async function chapterFolder(comicInfo: string): Promise<ArchiveContent> {
  const xml = await readComicInfoFile(comicInfo, FOR_IDENTITY);
  if (xml === undefined) return EMPTY_CONTENT;
  const identity = parseComicInfoIdentity(xml);
  const identities = identity ? [{ ...identity, isMarked: false }] : [];
  return { identities, isBound: true, isMarked: false };
}

/** Undefined if it is too large. Throws for anything but a regular file. */
export async function readComicInfoFile(
  file: string,
  options: OpenOptions = {},
): Promise<string | undefined> {
  const opened = await openForReading(file, options);
  try {
    const { size } = opened.stats;
    if (size > MAX_COMIC_INFO_BYTES) return undefined;
    return (await opened.readFully(Buffer.alloc(size), 0)).toString();
  } finally {
    await opened.close();
  }
}

async function zipContent(zip: ZipFile): Promise<ArchiveContent> {
  if (isBoundComment(zip.comment))
    return boundContent((await entryTexts(zip, [MANIFEST_NAME])).get(MANIFEST_NAME));
  const marked = parseIdentityComment(zip.comment);
  if (marked) return toContent({ ...marked, isMarked: true });
  const identity = await unmarkedIdentity(zip);
  return toContent(identity && { ...identity, isMarked: false });
}

/** The record of a file whose comment is another program's, otherwise the address in ComicInfo.xml. */
async function unmarkedIdentity(zip: ZipFile): Promise<CbzIdentity | undefined> {
  const texts = await entryTexts(zip);
  const [recorded, ...others] = manifestIdentities(texts.get(MANIFEST_NAME) ?? '');
  if (recorded && others.length === 0) return recorded;
  return parseComicInfoIdentity(texts.get(COMIC_INFO_NAME) ?? '');
}

const MAX_BYTES = new Map([
  [MANIFEST_NAME, MAX_MANIFEST_BYTES],
  [COMIC_INFO_NAME, MAX_COMIC_INFO_BYTES],
]);

/**
 * The manifest or record, and ComicInfo.xml, by their names; those that are missing or too large are left out. `entries`
 * are those of the archive, if they were read.
 */
export async function entryTexts(
  zip: ZipFile,
  names: readonly string[] = [...MAX_BYTES.keys()],
  entries: Iterable<Entry> | AsyncIterable<Entry> = zip.eachEntry(),
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  let remaining = MAX_ENTRIES;
  for await (const entry of entries) {
    remaining -= 1;
    if (remaining < 0) break;
    const { fileName, uncompressedSize } = entry;
    if (!names.includes(fileName) || uncompressedSize > (MAX_BYTES.get(fileName) ?? 0)) continue;
    texts.set(fileName, await readEntryText(zip, entry));
    if (texts.size === names.length) break;
  }
  return texts;
}

/** An empty manifest does not count as a mark: `bind` never writes one. */
function boundContent(manifest = ''): ArchiveContent {
  const isMarked = (manifestKeys(manifest) ?? []).length > 0;
  const identities = manifestIdentities(manifest);
  return {
    identities: identities.map((identity) => ({ ...identity, isMarked })),
    isBound: true,
    isMarked,
  };
}

/** The content of an archive of one chapter. */
export function toContent(found: FoundIdentity | undefined): ArchiveContent {
  return found ? { identities: [found], isBound: false, isMarked: found.isMarked } : EMPTY_CONTENT;
}
