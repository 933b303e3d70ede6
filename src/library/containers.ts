/** How each container is read, checked and rewritten; what it is called and can do is in config/containers.ts. */
import { basename } from 'node:path';
import { containerByExtension, CONTAINERS, type ContainerName } from '../config/containers.js';
import { ZipEntryReader } from '../core/zip-file.js';
import { COMIC_INFO_NAME } from './comic-info.js';
import type { CheckFile } from './check/damage.js';
import type { PageReader, ReadContent } from './read/content.js';
import { readFolderContent } from './read/folder-content.js';
import { readPdfContent } from './read/pdf-content.js';
import { readZipContent } from './read/zip-content.js';
import type { Rewriter } from './rewrite/rewriter.js';

type If<Condition extends boolean, Value> = Condition extends true ? Value : undefined;

interface Handler<Name extends ContainerName> {
  readonly read: ReadContent;
  readonly check: CheckFile;
  readonly openPages: If<
    (typeof CONTAINERS)[Name]['hasReadablePages'],
    (path: string) => Promise<PageReader>
  >;
  readonly rewriter: If<(typeof CONTAINERS)[Name]['isRewritable'], () => Promise<Rewriter>>;
}

const openZip = async (path: string): Promise<PageReader> => ZipEntryReader.open(path);

export const HANDLERS: { readonly [Name in ContainerName]: Handler<Name> } = {
  cbz: {
    read: readZipContent,
    check: async (...args) => (await import('./check/zip-damage.js')).checkZip(...args),
    openPages: openZip,
    rewriter: async () => (await import('./rewrite/zip-rewriter.js')).ZIP_REWRITER,
  },
  epub: {
    read: readZipContent,
    check: async (...args) => (await import('./check/zip-damage.js')).checkZip(...args),
    openPages: openZip,
    rewriter: async () => (await import('./rewrite/zip-rewriter.js')).ZIP_REWRITER,
  },
  pdf: {
    read: readPdfContent,
    check: async (...args) => (await import('./check/pdf-damage.js')).checkPdf(...args),
    openPages: undefined,
    rewriter: undefined,
  },
  folder: {
    read: readFolderContent,
    check: async (...args) => (await import('./check/folder-damage.js')).checkFolder(...args),
    openPages: undefined,
    rewriter: async () => (await import('./rewrite/folder-rewriter.js')).FOLDER_REWRITER,
  },
};

/** By the name of the file; undefined for one that a scan does not look at. */
export function containerNamed(path: string): ContainerName | undefined {
  // The metadata of a chapter in a folder stands for it.
  return basename(path) === COMIC_INFO_NAME ? 'folder' : containerByExtension(path);
}

/** What reads the file, whatever its name is. */
export function containerOf(path: string): ContainerName {
  return containerNamed(path) ?? 'cbz';
}

/** `container`: by default, the name says it. Throws Error for a file whose pages cannot be read, or errors of the file system. */
export async function openPages(path: string, container = containerOf(path)): Promise<PageReader> {
  const { openPages: open } = HANDLERS[container];
  if (!open) throw new Error('its pages cannot be read back');
  return open(path);
}

/** What writes the file again with other texts. `container`: by default, the name says it. Throws Error for a PDF. */
export async function rewriterOf({
  path,
  container = containerOf(path),
}: {
  readonly path: string;
  readonly container?: ContainerName;
}): Promise<Rewriter> {
  const { rewriter } = HANDLERS[container];
  if (!rewriter) throw new Error('its texts cannot be replaced');
  return rewriter();
}

/** Whether chapters can be read back from the bound file that has this name. */
export function isReadableBook(file: string): boolean {
  const container = containerNamed(file);
  return container !== undefined && CONTAINERS[container].hasReadablePages;
}
