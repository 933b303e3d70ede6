/** How the texts of a file are replaced, whose other entries keep their bytes, names and order. */
import type { ZipEntry, ZipEntryReader } from '../../core/zip-file.js';
import type { Publish } from '../../core/zip-file-writer.js';
import type { restoreZip, writeAdoptedZip } from './zip-adoption.js';

export interface RewriteOptions {
  /** A new file on the file system of the final path, for an archive. */
  readonly tmpFile: string;
  /** Called with the finished archive, which was read back whole. */
  readonly publish: Publish;
  readonly signal: AbortSignal;
  /** The new text of an entry; undefined for one that stays. Called for each, in order. */
  readonly newText?: (entry: Named, data: Buffer) => string | undefined | Promise<undefined>;
  /** The text of a file in a folder before a killed run replaced it. */
  readonly oldText?: (entry: Named, data: Buffer) => string | undefined;
  /** What follows the entries of an archive. */
  readonly added?: () => readonly NamedText[] | Promise<readonly NamedText[]>;
  /** The comment of an archive; that of a book depends on its entries. */
  readonly comment:
    'of-book' | ((reader: ZipEntryReader) => string | Buffer | Promise<string | Buffer>);
}

type Named = Pick<ZipEntry, 'name'>;
type NamedText = readonly [name: string, text: string];

interface Rewritten {
  readonly file: string;
  /** Files in a folder that stay, since their owner changed them. */
  readonly kept: readonly string[];
}

export interface Rewriter {
  /** `entries`: those of an archive that stay. Throws StorageError `archive-damaged`. */
  readonly rewrite: (
    file: { readonly path: string; readonly entries: readonly ZipEntry[] },
    options: RewriteOptions,
  ) => Promise<Rewritten>;
  /** Gives a file of another program a record. Throws Error with why it cannot have one. */
  readonly adopt: typeof writeAdoptedZip;
  /** Writes an adopted file as it was; false for any other. Throws Error if it was changed since. */
  readonly restore: typeof restoreZip;
}
