/**
 * Covers of volumes where Komga looks for them: `<book>.jpg` beside the book, a copy of `cover Vol.01.jpg`. Komga takes
 * `cover.*` in the folder for the series (docs/readers.md).
 */
import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { readFileState, replaceUnchanged } from '../../core/file-state.js';
import {
  copyRegularFile,
  digestIfRegular,
  isOwnFile,
  removeFile,
  temporaryName,
} from '../../core/files.js';
import { publishNew } from '../../core/publish.js';
import type { ObserveBind } from '../../events/bind-events.js';
import { coverBaseName, COVER_NAME, volumeCoverName } from './cover.js';
import type { SavedCovers } from './saved-covers.js';

export class BookCovers {
  /** By the path of the book. */
  readonly #volumes = new Map<string, string>();

  observe(event: Parameters<ObserveBind>[0]): void {
    if (event.type === 'book-planned' && event.volume !== undefined)
      this.#volumes.set(event.file, event.volume);
  }

  /** Copies the covers that tankobon saved. An image that the owner put beside a book stays. */
  async save(savedCovers: SavedCovers): Promise<void> {
    for (const [book, volume] of this.#volumes) {
      if (!(await readFileState(book))) continue;
      const name = volumeCoverName(volume);
      const names = await readdir(dirname(book));
      const found = names.find((it) => COVER_NAME.test(it) && coverBaseName(it) === name);
      if (found !== undefined) await copyCover(join(dirname(book), found), book, savedCovers);
    }
  }
}

async function copyCover(cover: string, book: string, savedCovers: SavedCovers): Promise<void> {
  const source = savedCovers.get(resolve(cover));
  const sha256 = await digestIfRegular(cover);
  if (!source?.isOwn || source.sha256 !== sha256) return;
  const file = join(dirname(book), `${basename(book, extname(book))}${extname(cover)}`);
  const existing = await digestIfRegular(file);
  if (existing === sha256) return;
  const saved = savedCovers.get(resolve(file));
  if (existing !== undefined && saved?.sha256 !== existing) return;
  const state = await readFileState(file);
  if (state && !isOwnFile(file, state)) return;
  const tmpFile = temporaryName(file);
  try {
    await copyRegularFile(cover, tmpFile);
    const isWritten = state
      ? await replaceUnchanged(tmpFile, file, state)
      : await publishNew(tmpFile, file);
    if (isWritten) savedCovers.set(resolve(file), source);
  } finally {
    await removeFile(tmpFile);
  }
}
