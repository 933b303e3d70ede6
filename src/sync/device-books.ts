/**
 * Books for an e-reader in the subscription: the keys `for` and `device-output`. They are made in a folder on the device
 * while that is there, which is a copy: what its owner removed there stays removed. Chapters without a volume are in one
 * more book, until their volume comes.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Chapter } from '../service/chapters.js';
import { bindOptions } from '../books/bind-request.js';
import type { ChapterGroup } from '../books/group-volumes.js';
import { effectiveOptions } from '../config/options.js';
import { StorageError } from '../core/errors.js';
import { isUnchanged } from '../core/file-state.js';
import { lstatIfExists, removeFile } from '../core/files.js';
import { expandHome } from '../core/home-folder.js';
import { toTankobonError } from '../core/system-errors.js';
import { sha256Of } from '../core/sha256.js';
import type { ObserveBind } from '../events/bind-events.js';
import { readLibraryFile } from '../library/file.js';
import type { LibraryIndex } from '../library/scan.js';
import type { DeviceBook } from './history.js';
import type { DueTitle, SubscribedTitle, SyncSession } from './sync-session.js';

interface Device {
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
}

/** In the folder on the device, so that one in which no book is left is not taken for one that is not mounted. */
const MARKER = '.tankobon-device';

/** Undefined for a title without the two keys. */
export function deviceOf(
  { options }: SubscribedTitle,
  { options: { file }, warn }: SyncSession,
): Device | undefined {
  const { for: name, deviceOutput } = options;
  if (name === undefined && deviceOutput === undefined) return undefined;
  if (name !== undefined && deviceOutput !== undefined)
    return { name, folder: resolve(dirname(file), expandHome(deviceOutput)) };
  const [there, missing] = name === undefined ? ['device-output', 'for'] : ['for', 'device-output'];
  warn(
    `The key ${there} has no effect without the key ${missing}: no books for a device are made.`,
  );
  return undefined;
}

/** Without the device, its folder is missing, or is the empty one where its disk is mounted. */
export async function isDeviceThere(
  { folder }: Device,
  { journal }: SyncSession,
): Promise<boolean> {
  const names = await readdir(folder).catch(() => undefined);
  if (!names) return false;
  const all = [...journal.state.deviceBooks.values()].flatMap((books) => [...books.values()]);
  const isNew = !all.some((book) => book.folder === folder);
  return isNew || names.some((name) => !name.startsWith('.') || name === MARKER);
}

/** What the books of the title are made of, as text: a change of it makes the title due while the device is there. */
export function deviceText(
  titleId: string,
  { name, folder }: Device,
  { bind, infer }: SubscribedTitle['options'],
  library: LibraryIndex,
): string {
  const files = library
    .ofTitle(titleId)
    .map(({ chapterId, version, isBound }) => `${chapterId} ${version ?? ''} ${isBound}`);
  const text = JSON.stringify([name, folder, bind, infer, [...new Set(files)].sort()]);
  return sha256Of(text, 'base64url');
}

/** Resolves with deviceText once all books are there; undefined if they are not, or the device is not there. */
export async function fillDevice(
  due: DueTitle,
  releases: readonly Chapter[],
  session: SyncSession,
): Promise<string | undefined> {
  const { libraries, userSignal, warn } = session;
  const device = deviceOf(due, session);
  if (!device || !(await isDeviceThere(device, session))) return undefined;
  // This run may have bound chapters, or moved some away.
  libraries.forget(due.output);
  const library = await libraries.open(due.output);
  const books = new BooksOnDevice(due, device, session);
  const { failures } = books;
  try {
    await books.recordRemoved();
    await books.bind(releases, library);
    if (failures.length === 0) await books.removeReplaced();
  } catch (error) {
    userSignal.throwIfAborted();
    failures.push(toTankobonError(error));
  }
  const text = deviceText(due.id, device, due.options, library);
  if (failures.length === 0) return text;
  if (await isDeviceThere(device, session))
    for (const { message, hint } of failures)
      warn(`${due.label}: not made for ${device.name}: ${message}`, hint);
  else warn(`The device ${device.name} went away: the next sync with it goes on: ${device.folder}`);
  return undefined;
}

/** The books of one title on the device, which are bound once. */
class BooksOnDevice {
  readonly failures: { readonly message: string; readonly hint?: string }[] = [];
  readonly #by: 'volume' | 'title';
  /** The ids of the chapters of each planned book, by its key. */
  readonly #planned = new Map<string, readonly string[]>();
  /** The keys of the planned books, by their files. */
  readonly #keys = new Map<string, string>();
  /** The files of the books that are there, by their keys. */
  readonly #present = new Map<string, readonly string[]>();

  constructor(
    private readonly due: DueTitle,
    private readonly device: Device,
    private readonly session: SyncSession,
  ) {
    const { bind } = effectiveOptions(due.options, session.context.settings);
    this.#by = bind === 'title' ? 'title' : 'volume';
  }

  /** Books that were made, and that are not there any more, were removed by the owner. */
  async recordRemoved(): Promise<void> {
    const gone: [string, DeviceBook][] = [];
    for (const [key, book] of this.#records()) {
      // What cannot be read is not missing.
      const found = await Promise.all(book.files.map((file) => lstatIfExists(this.#path(file))));
      if (found.length > 0 && found.every((stats) => !stats)) gone.push([key, book]);
    }
    // Without the device, all of them are missing.
    if (gone.length > 0) await this.#check();
    for (const [key, { chapters, removed }] of gone)
      this.#record(key, { files: [], chapters: [], removed: [...removed, ...chapters] });
  }

  async bind(releases: readonly Chapter[], library: LibraryIndex): Promise<void> {
    const { context, userSignal } = this.session;
    const { settings, clock, paths } = context;
    const { title, options: series } = this.due;
    const { name, folder } = this.device;
    const options = bindOptions({ ...series, format: undefined, device: name }, settings);
    const { bindTitles } = await import('../download/bind-titles.js');
    const removed = this.#removedLoose();
    const toBind: Parameters<typeof bindTitles>[0] = {
      titles: [{ ...title, chapters: releases }],
      library,
      options: { ...options, bind: this.#by, output: folder, cover: false, keepReplaced: 0 },
      nowMs: clock.wallMs(),
      completeOnly: false,
      removeChapters: false,
      stateFolder: paths.state,
      onDevice: {
        check: () => this.#check(),
        isWanted: ({ chapterId = '' }) => !removed.has(chapterId),
        isSelected: (group) => this.#select(group),
      },
    };
    await bindTitles(toBind, this.#observe, userSignal);
    for (const [key, files] of this.#present) await this.#recordMade(key, files);
    if (this.#present.size > 0) await writeFile(join(folder, MARKER), '', { flag: 'a' });
  }

  /** Removes books whose chapters are all in others by now, such as those of chapters that got their volumes. */
  async removeReplaced(): Promise<void> {
    const inBooks = new Set(
      [...this.#present.keys()].flatMap((key) => this.#planned.get(key) ?? []),
    );
    for (const [key, book] of this.#records()) {
      const isReplaced = book.chapters.length > 0 && book.chapters.every((id) => inBooks.has(id));
      if (this.#planned.has(key) || !isReplaced) continue;
      for (const file of book.files) await this.#removeOwn(file);
      this.#record(key, { ...book, files: [], chapters: [] });
    }
  }

  /** Throws StorageError `output-away`. */
  async #check(): Promise<void> {
    if (await isDeviceThere(this.device, this.session)) return;
    throw new StorageError('output-away', `The device is not there: ${this.device.folder}`);
  }

  #select(group: ChapterGroup): boolean {
    const key = keyOf(group);
    const ids = group.chapters.flatMap(({ chapterId }) => chapterId ?? []);
    const known = this.#records().get(key);
    const removedLoose = this.#removedLoose();
    const isLoose = group.by === 'volume' && group.volume === undefined;
    const isRemoved = known ? known.files.length === 0 && known.removed.length > 0 : false;
    const wereAllRemoved = !known && ids.length > 0 && ids.every((id) => removedLoose.has(id));
    if ((isRemoved && !isLoose) || wereAllRemoved) return false;
    this.#planned.set(key, ids);
    return true;
  }

  readonly #observe: ObserveBind = (event) => {
    if (event.type === 'book-planned') {
      const { file, language, volume } = event;
      this.#keys.set(file, keyOf({ by: this.#by, language, volume }));
    } else if (event.type === 'book-saved') {
      const { book, file } = event;
      const key = this.#keys.get(book ?? file);
      if (key === undefined) return;
      this.#present.set(key, [...(this.#present.get(key) ?? []), file]);
      const { id: title, label: name } = this.due;
      const device = this.device.name;
      this.session.listeners.observe({ type: 'device-book-saved', title, name, device, file });
    } else if (event.type === 'book-skipped') {
      const key = this.#keys.get(event.file);
      if (key !== undefined && !this.#present.has(key)) this.#present.set(key, [event.file]);
    } else if (event.type === 'book-failed') this.failures.push({ message: event.message });
    else if (event.type === 'warning') this.session.warn(event.message, event.hint);
  };

  /** A killed run may have written parts of the book that this one found there. */
  async #recordMade(key: string, written: readonly string[]): Promise<void> {
    const [first = ''] = written;
    const names = await readdir(dirname(first)).catch(() => []);
    const stem = basename(first).replace(/( part \d+)?(\.kepub)?\.\w+$/, '');
    const isOfBook = (name: string) =>
      name.startsWith(stem) && /^( part \d+)?(\.kepub)?(\.\w+)?$/.test(name.slice(stem.length));
    const files = names.filter(isOfBook).map((name) => this.#relative(join(dirname(first), name)));
    const before = this.#records().get(key);
    for (const file of before?.files ?? []) if (!files.includes(file)) await this.#removeOwn(file);
    const chapters = this.#planned.get(key) ?? [];
    if (!isDeepStrictEqual([before?.files, before?.chapters], [files, chapters]))
      this.#record(key, { files, chapters: [...chapters], removed: before?.removed ?? [] });
  }

  /** Unless it is not a book for a device, or was changed by another program. */
  async #removeOwn(file: string): Promise<void> {
    const path = this.#path(file);
    const book = await readLibraryFile(path);
    if (book.kind !== 'book' || !book.copy || book.isEdited || !book.state) return;
    if (await isUnchanged(path, book.state)) await removeFile(path);
  }

  /** The ids of chapters without a volume whose book the owner removed. */
  #removedLoose(): ReadonlySet<string> {
    const ofLoose = /^volume .* $/;
    const loose = [...this.#records()].filter(([key]) => ofLoose.test(key));
    return new Set(loose.flatMap(([, { removed }]) => removed));
  }

  #records(): ReadonlyMap<string, DeviceBook> {
    const books = this.session.journal.state.deviceBooks.get(this.due.id) ?? [];
    const own = [...books].filter(([, { folder }]) => folder === this.device.folder);
    return new Map(own.map(([, book]) => [book.book, book]));
  }

  #record(book: string, change: Pick<DeviceBook, 'files' | 'chapters' | 'removed'>): void {
    const { id } = this.due;
    this.session.journal.add({ deviceBook: id, folder: this.device.folder, book, ...change });
  }

  #path(file: string): string {
    return join(this.device.folder, ...file.split('/'));
  }

  #relative(path: string): string {
    return relative(this.device.folder, path).split(sep).join('/');
  }
}

function keyOf({ by, language, volume }: Pick<ChapterGroup, 'by' | 'language' | 'volume'>): string {
  return [by, language, volume ?? ''].join(' ');
}
