/** Reads what a book in a folder says of its chapters, and the metadata of a chapter in a folder of such a book. */
import { basename, join } from 'node:path';
import { decodeXml } from '../../core/decode-text.js';
import { hasCode } from '../../core/errors.js';
import { lstatIfExists, openForReading, readRegularFileIfExists } from '../../core/files.js';
import { isRecord, parseJson } from '../../core/json.js';
import { FOLDER_MANIFEST_NAME, MAX_MANIFEST_BYTES } from '../mark.js';
import { COMIC_INFO_NAME, MAX_COMIC_INFO_BYTES } from '../comic-info.js';
import { NO_CONTENT, type Depth, type FileContent, type ReadOptions } from './content.js';

/** `path`: the folder of a book, or the ComicInfo.xml of a chapter. */
export async function readFolderContent(
  path: string,
  depth: Depth,
  options: ReadOptions,
): Promise<FileContent> {
  if (basename(path) === COMIC_INFO_NAME) return readComicInfoFile(path, options);
  const manifest = await readManifest(path);
  if (manifest === undefined) return NO_CONTENT;
  const files = filesIn(manifest);
  const damage = depth === 'pages' ? await findMissing(path, files) : undefined;
  return { ...NO_CONTENT, mark: 'book', manifest, files, damage };
}

async function findMissing(
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<Error | undefined> {
  if (files.size === 0)
    return new Error(`its list of chapters, ${FOLDER_MANIFEST_NAME}, is damaged`);
  for (const path of files.keys())
    if ((await lstatIfExists(join(folder, path))) === undefined)
      return new Error(`${path} is missing`);
  return undefined;
}

/** Undefined if there is none that can be trusted. */
async function readManifest(folder: string): Promise<string | undefined> {
  try {
    const options = { maxBytes: MAX_MANIFEST_BYTES };
    const bytes = await readRegularFileIfExists(join(folder, FOLDER_MANIFEST_NAME), options);
    return bytes?.toString('utf8');
  } catch (error) {
    if (hasCode(error, 'unsafe-path')) return undefined;
    throw error;
  }
}

/** `001.png`, or `Ch.001/001.png`. */
const FILE_PATH = /^(?!\.\.?(?:\/|$))[^/\\\0]+(?:\/(?!\.\.?$)[^/\\\0]+)?$/;
const SHA256 = /^[0-9a-f]{64}$/;

function filesIn(text: string): ReadonlyMap<string, string> {
  const manifest = parseJson(text);
  const files = isRecord(manifest) && isRecord(manifest['files']) ? manifest['files'] : {};
  const named = Object.entries(files).flatMap(([path, digest]) =>
    FILE_PATH.test(path) && typeof digest === 'string' && SHA256.test(digest)
      ? [[path, digest] as const]
      : [],
  );
  return new Map(named);
}

/** Without its text if that is too large. Throws for anything but a regular file. */
async function readComicInfoFile(file: string, options: ReadOptions): Promise<FileContent> {
  const opened = await openForReading(file, options);
  try {
    const { size, stats: state } = opened;
    if (size > MAX_COMIC_INFO_BYTES) return { ...NO_CONTENT, state };
    const comicInfo = decodeXml(await opened.readFully(Buffer.alloc(size), 0));
    return { ...NO_CONTENT, state, comicInfo };
  } finally {
    await opened.close();
  }
}
