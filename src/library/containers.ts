/** The containers of chapters. A new one is a row of this table, which the compiler asks for. */
import { basename } from 'node:path';
import type { BookFormat } from '../config/bind-choices.js';
import { COMIC_INFO_NAME } from './comic-info.js';
import type { CheckFile } from './check/damage.js';
import type { ReadContent } from './read/content.js';
import { readFolderContent } from './read/folder-content.js';
import { readPdfContent } from './read/pdf-content.js';
import { readZipContent } from './read/zip-content.js';
import type { Rewriter } from './rewrite/rewriter.js';

export type ContainerName = BookFormat;

interface Container {
  /** The names of its files. */
  readonly hasName: (name: string) => boolean;
  readonly read: ReadContent;
  readonly check: CheckFile;
  /** Undefined where texts are not replaced: such a book is only bound again. */
  readonly rewriter: (() => Promise<Rewriter>) | undefined;
  /** Pages, and with them chapters, can be read from it. */
  readonly hasReadablePages: boolean;
}

export const CONTAINERS: Readonly<Record<ContainerName, Container>> = {
  cbz: {
    // A ZIP of another program may be a chapter; tankobon writes none.
    hasName: (name) => /\.(cbz|zip)$/i.test(name),
    read: readZipContent,
    check: async (...args) => (await import('./check/zip-damage.js')).checkZip(...args),
    rewriter: async () => (await import('./rewrite/zip-rewriter.js')).ZIP_REWRITER,
    hasReadablePages: true,
  },
  epub: {
    hasName: (name) => /\.epub$/i.test(name),
    read: readZipContent,
    check: async (...args) => (await import('./check/zip-damage.js')).checkZip(...args),
    rewriter: async () => (await import('./rewrite/zip-rewriter.js')).ZIP_REWRITER,
    hasReadablePages: true,
  },
  pdf: {
    hasName: (name) => /\.pdf$/i.test(name),
    read: readPdfContent,
    check: async (...args) => (await import('./check/pdf-damage.js')).checkPdf(...args),
    rewriter: undefined,
    hasReadablePages: false,
  },
  folder: {
    // The metadata of a chapter in a folder stands for it.
    hasName: (name) => basename(name) === COMIC_INFO_NAME,
    read: readFolderContent,
    check: async (...args) => (await import('./check/folder-damage.js')).checkFolder(...args),
    rewriter: async () => (await import('./rewrite/folder-rewriter.js')).FOLDER_REWRITER,
    hasReadablePages: false,
  },
};

const NAMES = Object.keys(CONTAINERS) as ContainerName[];

/** By the name of the file; undefined for one that a scan does not look at. */
export function containerNamed(name: string): ContainerName | undefined {
  return NAMES.find((container) => CONTAINERS[container].hasName(name));
}

/** What writes the file again with other texts. `container`: by default, the name says it. Throws Error for a PDF. */
export async function rewriterOf({
  path,
  container = containerNamed(path) ?? 'cbz',
}: {
  readonly path: string;
  readonly container?: ContainerName;
}): Promise<Rewriter> {
  const { rewriter } = CONTAINERS[container];
  if (!rewriter) throw new Error('its texts cannot be replaced');
  return rewriter();
}

/** Whether chapters can be read back from the bound file that has this name. */
export function isReadableBook(file: string): boolean {
  const container = containerNamed(file);
  return container !== undefined && CONTAINERS[container].hasReadablePages;
}
