/** The metadata and the manifest of a book in a folder. */
import { basename, join } from 'node:path';
import { assertOwnFile } from '../../core/file-state.js';
import { lstatIfExists, readRegularFileIfExists, writeFileAtomic } from '../../core/files.js';
import { isRecord, parseJson } from '../../core/json.js';
import { sha256Of } from '../../core/sha256.js';
import { COMIC_INFO_NAME } from '../comic-info.js';
import { FOLDER_MANIFEST_NAME } from '../mark.js';
import { readFolderContent } from '../read/folder-content.js';
import type { Rewriter } from './rewriter.js';

/** The manifest is written last: until then, it has the digests of the old files. */
export const FOLDER_REWRITER: Rewriter = {
  rewrite: async ({ path: folder }, { newText, oldText }) => {
    const { files } = await readFolderContent(folder, 'metadata', {});
    const digests: Record<string, string> = {};
    const kept: string[] = [];
    for (const [path, digest] of files) {
      if (basename(path) !== COMIC_INFO_NAME) continue;
      const file = join(folder, path);
      const entry = { name: COMIC_INFO_NAME };
      const data = await readFile(file);
      const old = oldText?.(entry, data) ?? data;
      // A killed run may have written the new one.
      if (![data, old].some((each) => sha256Of(each) === digest)) kept.push(path);
      else {
        const text = (await newText?.(entry, data)) ?? data.toString();
        if (text !== data.toString()) await rewriteFile(file, text);
        digests[path] = sha256Of(text);
      }
    }
    const manifest = join(folder, FOLDER_MANIFEST_NAME);
    const json = await readFile(manifest);
    const text = (await newText?.({ name: FOLDER_MANIFEST_NAME }, json)) ?? json.toString();
    await rewriteFile(manifest, withDigests(text, digests));
    return { file: folder, kept };
  },
  adopt: refuse,
  restore: refuse,
};

function refuse(): Promise<never> {
  return Promise.reject(new Error('it is a folder'));
}

async function readFile(file: string): Promise<Buffer> {
  return (await readRegularFileIfExists(file)) ?? Buffer.alloc(0);
}

async function rewriteFile(file: string, text: string): Promise<void> {
  const replaced = await lstatIfExists(file);
  if (replaced) assertOwnFile(file, replaced);
  await writeFileAtomic(file, text, { replaced });
}

function withDigests(json: string, digests: Readonly<Record<string, string>>): string {
  const manifest = parseJson(json);
  const files = isRecord(manifest) ? manifest['files'] : undefined;
  if (!isRecord(manifest) || !isRecord(files)) return json;
  return `${JSON.stringify({ ...manifest, files: { ...files, ...digests } })}\n`;
}
