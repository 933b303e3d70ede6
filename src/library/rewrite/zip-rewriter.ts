import { PRIVATE_FILE_MODE } from '../../core/files.js';
import { ZipEntryReader, type ZipEntry } from '../../core/zip-file.js';
import { ZipFileWriter } from '../../core/zip-file-writer.js';
import { damagedChapter } from '../check/damaged-chapter.js';
import { boundComment } from '../mark.js';
import type { Rewriter, RewriteOptions } from './rewriter.js';
import { restoreZip, writeAdoptedZip } from './zip-adoption.js';

export const ZIP_REWRITER: Rewriter = {
  rewrite: async ({ path, entries }, options) => {
    const reader = await ZipEntryReader.open(path);
    try {
      return { file: await copyEntries(path, reader, entries, options), kept: [] };
    } finally {
      await reader.close();
    }
  },
  adopt: writeAdoptedZip,
  restore: restoreZip,
};

async function copyEntries(
  path: string,
  reader: ZipEntryReader,
  entries: readonly ZipEntry[],
  { tmpFile, publish, signal, newText, added, comment }: RewriteOptions,
): Promise<string> {
  const first = comment === 'of-book' ? boundComment([]) : await comment(reader);
  const mode = PRIVATE_FILE_MODE;
  const zip = await ZipFileWriter.create({ tmpFile, comment: first, mode, signal });
  try {
    for (const entry of entries) {
      signal.throwIfAborted();
      const data = await reader.read(entry, zip.getBuffer).catch((cause: unknown) => {
        throw damagedChapter(path, cause);
      });
      const text = await newText?.(entry, data);
      if (text === undefined) await zip.write(entry.name, data);
      else zip.append(entry.name, text);
    }
    for (const [name, text] of (await added?.()) ?? []) zip.append(name, text);
    const last = comment === 'of-book' ? boundComment(zip.entries) : first;
    return (await zip.finish(publish, last)).file;
  } finally {
    await zip.discard();
  }
}
