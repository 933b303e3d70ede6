/** Takes pages of a chapter's file, or of the book that has it, into the workspace of an update. */
import { crc32 } from 'node:zlib';
import { createFile, PRIVATE_FILE_MODE, removeFile } from '../../core/files.js';
import { imageExtension } from '../../core/image-format.js';
import { sha256Of } from '../../core/sha256.js';
import { openPages, readLibraryFile } from '../../library/file.js';
import type { KnownFile } from '../../plan/change.js';
import type { Workspace } from './workspace.js';

/** @param digests those that the service has, in order */
export async function keepFullPages(
  file: KnownFile,
  digests: readonly (string | undefined)[],
  workspace: Workspace,
  signal: AbortSignal,
): Promise<void> {
  const isMissing = (page: number) => digests[page - 1] !== undefined && !workspace.kept.has(page);
  await eachSavedPage(file, digests.length, isMissing, async (page, data) => {
    signal.throwIfAborted();
    if (digests[page - 1] === sha256Of(data)) await keep(workspace, page, data, false);
  });
}

/** Whether the file has a compressed page for it, which is in the workspace then. */
export async function takeCompressedPage(
  file: KnownFile,
  page: number,
  workspace: Workspace,
): Promise<boolean> {
  const { pages = [], dataSaverPages = [] } = file.saved;
  if (!dataSaverPages.includes(page)) return false;
  const isPage = (each: number) => each === page;
  await eachSavedPage(file, pages.length, isPage, async (_, data) => {
    if (sha256Of(data) === pages[page - 1]) await keep(workspace, page, data, true);
  });
  return workspace.kept.has(page);
}

/** Calls `use` with each of these pages of the file, if it has `count` pages. A file that cannot be read has none. */
async function eachSavedPage(
  { file: path, chapterId }: KnownFile,
  count: number,
  isWanted: (page: number) => boolean,
  use: (page: number, data: Buffer) => Promise<void>,
): Promise<void> {
  const file = await readLibraryFile(path);
  if ((file.kind !== 'chapter' && file.kind !== 'book') || !file.hasReadablePages) return;
  const chapters = file.kind === 'chapter' ? [file.chapter] : file.chapters;
  const { pages = [] } = chapters.find((each) => each.chapterId === chapterId) ?? {};
  if (pages.length !== count) return;
  const reader = await openPages(path).catch(() => undefined);
  if (!reader) return;
  try {
    for (const [index, entry] of pages.entries()) {
      if (!isWanted(index + 1)) continue;
      const data = await reader
        .read(entry, (bytes) => Buffer.allocUnsafe(bytes))
        .catch(() => undefined);
      if (data) await use(index + 1, data);
    }
  } finally {
    await reader.close();
  }
}

async function keep(
  workspace: Workspace,
  page: number,
  data: Buffer,
  isCompressed: boolean,
): Promise<void> {
  const extension = imageExtension(data);
  if (!extension) return;
  const part = workspace.partFile(page);
  await removeFile(part);
  const handle = await createFile(part, { mode: PRIVATE_FILE_MODE });
  try {
    await handle.writeFile(data);
  } finally {
    await handle.close();
  }
  const image = { digest: sha256Of(data), crc32: crc32(data), extension, bytes: data.length };
  await workspace.keep(page, image, { isCompressed });
}
