/** Binds in a temporary folder, as the command does. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bindOptions, bindRequest } from '../../src/books/bind-request.js';
import type { GivenOptions } from '../../src/config/options.js';
import { loadSettings } from '../../src/config/settings.js';
import type { BindEvent, BindWarning } from '../../src/events/bind-events.js';
import { bindBooks } from '../../src/books/bind-books.js';
import { readArchive } from './archive.js';
import { assertEvent } from './event-check.js';

/** Binds `folder`/in into `folder`/out, and resolves with the events too. `cover` and `name` are the flags of `bind`. */
export async function bindFolder(
  folder: string,
  options: Omit<GivenOptions, 'cover' | 'name'> & {
    readonly cover?: string;
    readonly name?: string;
    readonly inputs?: readonly string[];
    readonly signal?: AbortSignal;
    /** Removes the files of bound chapters, which `download --bind` does. */
    readonly removeChapters?: boolean;
    readonly found?: readonly string[];
    readonly stateFolder?: string | undefined;
    readonly onPage?: () => void;
    readonly nowMs?: number;
  } = {},
) {
  const {
    inputs = [join(folder, 'in')],
    signal = new AbortController().signal,
    removeChapters,
    found,
    stateFolder,
    onPage,
    nowMs = Date.now(),
    cover: bookCover,
    name: bookName,
    ...rest
  } = options;
  const settings = await loadSettings({}, join(folder, 'no-settings'));
  const events: (BindEvent | BindWarning)[] = [];
  const given = { output: join(folder, 'out'), ...rest, bookCover, bookName };
  const request = bindRequest(inputs, bindOptions(given, settings), nowMs);
  const result = await bindBooks(
    { ...request, ...(found && { found }), stateFolder, removeChapters },
    (event) => {
      if (event.type === 'book-page') onPage?.();
      else {
        assertEvent(event);
        events.push(event);
      }
    },
    signal,
  );
  return { ...result, events };
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The sha256 of each image in an archive, in the order of the archive. */
export async function imageDigests(file: string): Promise<string[]> {
  const entries = await readArchive(file);
  return entries
    .filter(({ name }) => /\.(jpg|png|gif|webp|avif)$/.test(name))
    .map(({ bytes }) => sha256(bytes));
}

export async function fileDigest(file: string): Promise<string> {
  return sha256(await readFile(file));
}
