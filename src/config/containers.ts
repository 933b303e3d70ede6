/**
 * The containers of chapters and of books. What reads each is in library/containers.ts, and what writes it in
 * books/write-book.ts: the compiler asks there for what a new row needs.
 */

interface Container {
  /** For people. */
  readonly label: string;
  /** What tankobon gives its files, with the dot; empty for folders. */
  readonly extension: string;
  /** Kobo opens an EPUB with its own extension as a book with fixed pages. */
  readonly koboExtension?: string;
  /** The extension of other programs, which may be chapters. */
  readonly otherExtension?: string;
  /** Each file with the extension is a comic. One of another container may be any book or document. */
  readonly isComic: boolean;
  /** Pages, and with them chapters, can be read from it. */
  readonly hasReadablePages: boolean;
  /** Its texts can be replaced. Otherwise a book is only bound again. */
  readonly isRewritable: boolean;
}

export const CONTAINERS = {
  cbz: {
    label: 'CBZ',
    extension: '.cbz',
    otherExtension: '.zip',
    isComic: true,
    hasReadablePages: true,
    isRewritable: true,
  },
  epub: {
    label: 'EPUB',
    extension: '.epub',
    koboExtension: '.kepub.epub',
    isComic: false,
    hasReadablePages: true,
    isRewritable: true,
  },
  pdf: {
    label: 'PDF',
    extension: '.pdf',
    isComic: false,
    hasReadablePages: false,
    isRewritable: false,
  },
  folder: {
    label: 'folder',
    extension: '',
    isComic: false,
    hasReadablePages: false,
    isRewritable: true,
  },
} as const satisfies Readonly<Record<string, Container>>;

/** A book calls it its format. */
export type ContainerName = keyof typeof CONTAINERS;

export const CONTAINER_NAMES = Object.keys(CONTAINERS) as readonly ContainerName[];

interface Extension {
  /** In lower case, with its dot. */
  readonly extension: string;
  readonly container: ContainerName;
  /** Tankobon writes it. */
  readonly isOwn: boolean;
}

const EXTENSIONS: readonly Extension[] = CONTAINER_NAMES.flatMap((container) => {
  const { extension, otherExtension }: Container = CONTAINERS[container];
  return [
    ...(extension === '' ? [] : [{ extension, container, isOwn: true }]),
    ...(otherExtension === undefined
      ? []
      : [{ extension: otherExtension, container, isOwn: false }]),
  ];
});

function extensionOf(file: string): Extension | undefined {
  const name = file.toLowerCase();
  return EXTENSIONS.find(({ extension }) => name.endsWith(extension));
}

/** By the extension, in upper or lower case; undefined for folders and for other files. */
export function containerByExtension(file: string): ContainerName | undefined {
  return extensionOf(file)?.container;
}

/** Whether the file has an extension that tankobon gives to chapters or books. */
export function hasBookExtension(file: string): boolean {
  return extensionOf(file)?.isOwn === true;
}

/** Whether the file may be a chapter of another program. */
export function mayBeComic(file: string): boolean {
  const container = containerByExtension(file);
  return container !== undefined && CONTAINERS[container].isComic;
}

/** Whether the file is a comic, of any program. */
export function isComicFile(file: string): boolean {
  return mayBeComic(file) && hasBookExtension(file);
}

/** With its dot; empty for folders. */
export function bookExtension(container: ContainerName, isKobo = false): string {
  const { extension, koboExtension = extension }: Container = CONTAINERS[container];
  return isKobo ? koboExtension : extension;
}

/** For sentences: `CBZ`, `EPUB`, `PDF`. */
export const FILE_LABELS: readonly string[] = CONTAINER_NAMES.filter(
  (name) => bookExtension(name) !== '',
).map((name) => CONTAINERS[name].label);

/** The kinds of files that may be comics, for sentences: `CBZ`, `ZIP`. */
export const COMIC_LABELS: readonly string[] = EXTENSIONS.filter(({ extension }) =>
  mayBeComic(extension),
).map(({ extension }) => extension.slice(1).toUpperCase());
