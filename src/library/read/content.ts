/** What stands in a file of chapters, before anything is concluded from it; each container has a reader that gives it. */
import { thrownMessage } from '../../core/errors.js';
import type { FileState } from '../../core/file-state.js';
import type { OpenOptions } from '../../core/files.js';
import type { GetBuffer, ZipEntry } from '../../core/zip-file.js';

/**
 * How much is read. `mark`: what names the chapters, which is one short read for most files. `metadata`: the texts of
 * tankobon and of other programs. `pages`: also the names and places of all entries.
 */
export type Depth = 'mark' | 'metadata' | 'pages';

export interface FileContent {
  /** What the file was when it was opened. Undefined for the folder of a book, and for an archive without its directory. */
  readonly state: FileState | undefined;
  /** What tankobon's own mark says that the file has. */
  readonly mark: 'chapter' | 'book' | 'none';
  /** The comment of an archive; otherwise empty. */
  readonly comment: string;
  /** The record of a chapter, or the manifest of a book; empty without one. */
  readonly manifest: string;
  readonly comicInfo: string | undefined;
  /** Everything in an archive, in the order of its directory. */
  readonly entries: readonly ZipEntry[];
  /** The sha256 of each file of a book in a folder, by its path with slashes. */
  readonly files: ReadonlyMap<string, string>;
  /** Without a mark: one of its pages has a digest of its record. */
  readonly hasRecordedPage: boolean;
  /** Another program changed the book after it was bound. Of a file; in a folder, each file is checked. */
  readonly isEdited: boolean;
  /** Why a part of a book cannot be read. A file without the mark of a book is read whole, or not at all. */
  readonly damage: unknown;
}

export const NO_CONTENT: FileContent = {
  state: undefined,
  mark: 'none',
  comment: '',
  manifest: '',
  comicInfo: undefined,
  entries: [],
  files: new Map(),
  hasRecordedPage: false,
  isEdited: false,
  damage: undefined,
};

/** Thrown for a damaged archive whose end was read, and has no mark: it was not tankobon's when it was damaged. */
export class UnmarkedDamage extends Error {
  constructor(cause: unknown) {
    super(thrownMessage(cause), { cause });
  }
}

export interface ReadOptions extends OpenOptions {
  /** The file is known to be one, and not a link, a pipe, a socket or a device. */
  readonly isRegular?: boolean;
}

/** Reads the pages of one file. */
export interface PageReader {
  /** In a buffer of `getBuffer`. Throws Error with what is wrong with the page. */
  readonly read: (page: ZipEntry, getBuffer: GetBuffer) => Promise<Buffer>;
  readonly close: () => Promise<void>;
}

/** Throws Error with why nothing of the file can be read, or errors of the file system. */
export type ReadContent = (
  path: string,
  depth: Depth,
  options: ReadOptions,
) => Promise<FileContent>;
