/**
 * Exports of MyAnimeList: one XML document with an element for each manga of a list. Documents with a DTD, and so with
 * entities of their own, are refused, and so are elements that are nested deeper than an export's. Titles of MangaDex are
 * found for the manga by a search by name, and the id in the links of the title.
 */
import type { ReadingStatus } from '../../config/reading-statuses.js';
import { thrownMessage } from '../../core/errors.js';
import { isRecord } from '../../core/json.js';
import type { ServiceSession } from '../../download/download-session.js';
import { searchTitles, type Title } from '../../service/titles.js';

export interface ListedManga {
  /** The id on MyAnimeList, which titles of MangaDex name in their links. */
  readonly malId: string;
  readonly name: string;
  readonly status: ReadingStatus | undefined;
}

const MAX_EXPORT_BYTES = 64 * 2 ** 20;
/** The longest lists of the site have fewer. */
const MAX_ENTRIES = 50_000;
/** An export has 3. */
const MAX_DEPTH = 8;
const MAX_NAME_LENGTH = 500;

const ROOT = 'myanimelist';
const STATUSES: Readonly<Record<string, ReadingStatus>> = {
  Reading: 'reading',
  Completed: 'completed',
  'On-Hold': 'on_hold',
  Dropped: 'dropped',
  'Plan to Read': 'plan_to_read',
};

/** Whether the text begins as an export does, after a byte order mark, declarations and comments. */
export function isMyAnimeListExport(bytes: Buffer): boolean {
  return (
    bytes.subarray(0, 64 * 2 ** 10).includes(`<${ROOT}>`) &&
    /^(?:\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1', 0, 16))
  );
}

/** Throws Error for anything but a whole export of a manga list. */
export async function readMyAnimeList(bytes: Buffer): Promise<readonly ListedManga[]> {
  if (bytes.length > MAX_EXPORT_BYTES) throw new Error(`it has ${bytes.length} bytes`);
  const { manga = [], anime } = await readRoot(bytes.toString('utf8').replace('\ufeff', ''));
  if (anime !== undefined) throw new Error('it is the export of an anime list');
  const listed = new Map<string, ListedManga>();
  for (const fields of Array.isArray(manga) ? (manga as readonly unknown[]) : []) {
    const entry = toListed(fields);
    if (entry) listed.set(entry.malId, entry);
    if (listed.size > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} entries`);
  }
  if (listed.size === 0) throw new Error('it lists no manga');
  return [...listed.values()];
}

/** The children of the root by their names, those of `manga` as a list. */
async function readRoot(xml: string): Promise<Readonly<Record<string, unknown>>> {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) throw new Error('it declares entities or a DTD');
  const { XMLParser } = await import('fast-xml-parser');
  const parser = new XMLParser({
    ignoreDeclaration: true,
    ignorePiTags: true,
    parseTagValue: false,
    htmlEntities: true,
    maxNestedTags: MAX_DEPTH,
    isArray: (name) => name === 'manga',
  });
  let document: unknown;
  try {
    document = parser.parse(xml);
  } catch (cause) {
    const isDeep = thrownMessage(cause).includes('nested tags');
    const message = isDeep ? 'its elements are nested too deep' : 'it is not whole';
    throw new Error(message, { cause });
  }
  if (!isRecord(document) || !(ROOT in document))
    throw new Error('it is not an export of MyAnimeList');
  // The parser closes what is open at the end.
  if (!xml.includes(`</${ROOT}>`)) throw new Error('it is not whole');
  const root = document[ROOT];
  return isRecord(root) ? root : {};
}

function toListed(manga: unknown): ListedManga | undefined {
  const textOf = (name: string) => {
    const value: unknown = isRecord(manga) ? [manga[name]].flat().at(-1) : undefined;
    return typeof value === 'string' ? value.trim() : '';
  };
  const malId = textOf('manga_mangadb_id');
  // 0 stands for a manga that another program does not know there.
  if (!/^[1-9]\d{0,9}$/.test(malId)) return undefined;
  const name = textOf('manga_title').slice(0, MAX_NAME_LENGTH).trim();
  return { malId, name, status: STATUSES[textOf('my_status')] };
}

export interface ImportedTitle {
  /** Lower case. */
  readonly id: string;
  /** The name in the file, which may be empty. */
  readonly name: string;
}

interface DoubtfulManga extends ListedManga {
  /** A title of the same name that names no id of MyAnimeList. */
  readonly candidate: string | undefined;
}

interface FoundTitles {
  readonly titles: readonly ImportedTitle[];
  /** No title that was found names the id. */
  readonly doubtful: readonly DoubtfulManga[];
}

/** One request for each. Throws errors of the service. */
export async function findListedTitles(
  listed: readonly ListedManga[],
  { client, warn, signal }: Pick<ServiceSession, 'client' | 'warn' | 'signal'>,
): Promise<FoundTitles> {
  const titles = new Map<string, ImportedTitle>();
  const doubtful: DoubtfulManga[] = [];
  for (const manga of listed) {
    signal.throwIfAborted();
    const { titles: found } =
      manga.name === '' ? { titles: [] } : await searchTitles(client, manga.name, { warn, signal });
    const title = found.find(({ myAnimeListId }) => myAnimeListId === manga.malId);
    if (title) titles.set(title.id, { id: title.id, name: title.name });
    else doubtful.push({ ...manga, candidate: candidateOf(manga, found) });
  }
  return { titles: [...titles.values()], doubtful };
}

function candidateOf({ name }: ListedManga, found: readonly Title[]): string | undefined {
  const key = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return found.find(
    (title) => title.myAnimeListId === undefined && title.names.some((it) => key(it) === key(name)),
  )?.id;
}
