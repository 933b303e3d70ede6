/**
 * Exports of MyAnimeList: one XML document with an element for each manga of a list. Read by its few rules: documents with
 * a DTD, and so with entities of their own, are refused, and so are elements that are nested deeper than an export's.
 */
import type { ReadingStatus } from '../../config/reading-statuses.js';

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
export function readMyAnimeList(bytes: Buffer): readonly ListedManga[] {
  if (bytes.length > MAX_EXPORT_BYTES) throw new Error(`it has ${bytes.length} bytes`);
  const listed = new Map<string, ListedManga>();
  let fields = new Map<string, string>();
  let hasRoot = false;
  for (const { path, text } of elementsOf(bytes.toString('utf8'))) {
    const [root, parent, field] = path;
    if (root !== ROOT) throw new Error('it is not an export of MyAnimeList');
    if (parent === undefined) hasRoot = true;
    if (parent === 'anime') throw new Error('it is the export of an anime list');
    if (parent !== 'manga') continue;
    if (field !== undefined && path.length === 3) fields.set(field, text);
    if (field !== undefined) continue;
    const manga = toListed(fields);
    if (manga) listed.set(manga.malId, manga);
    if (listed.size > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} entries`);
    fields = new Map();
  }
  if (!hasRoot) throw new Error('it is not whole');
  if (listed.size === 0) throw new Error('it lists no manga');
  return [...listed.values()];
}

function toListed(fields: ReadonlyMap<string, string>): ListedManga | undefined {
  const malId = fields.get('manga_mangadb_id')?.trim() ?? '';
  // 0 stands for a manga that another program does not know there.
  if (!/^[1-9]\d{0,9}$/.test(malId)) return undefined;
  const name = (fields.get('manga_title') ?? '').slice(0, MAX_NAME_LENGTH).trim();
  return { malId, name, status: STATUSES[fields.get('my_status')?.trim() ?? ''] };
}

interface XmlElement {
  /** The names from the root to this element. */
  readonly path: readonly string[];
  /** What is directly in it. */
  readonly text: string;
}

/** Each element when it ends. Throws Error for a text that is not well-formed. */
function* elementsOf(xml: string): Generator<XmlElement> {
  const open: { readonly name: string; text: string }[] = [];
  let position = 0;
  const addText = (text: string): void => {
    const element = open.at(-1);
    if (element) element.text += text;
    else if (text.replace('\ufeff', '').trim() !== '')
      throw new Error('it has text outside of elements');
  };
  const endOf = (mark: string, from: number): number => {
    const end = xml.indexOf(mark, from);
    if (end === -1) throw new Error('it is not whole');
    return end;
  };
  for (let start = xml.indexOf('<'); start !== -1; start = xml.indexOf('<', position)) {
    addText(decoded(xml.slice(position, start)));
    if (xml.startsWith('<!--', start)) position = endOf('-->', start + 4) + 3;
    else if (xml.startsWith('<?', start)) position = endOf('?>', start) + 2;
    else if (xml.startsWith('<![CDATA[', start)) {
      position = endOf(']]>', start) + 3;
      addText(xml.slice(start + 9, position - 3));
    } else if (xml.startsWith('<!', start)) throw new Error('it declares entities or a DTD');
    else {
      position = endOf('>', start) + 1;
      const tag = xml.slice(start + 1, position - 1);
      const [, slash = '', name = ''] = /^(\/?)([A-Za-z_][\w.-]{0,63})(?=[\s/]|$)/.exec(tag) ?? [];
      if (name === '') throw new Error('it is not well-formed');
      if (slash === '') open.push({ name, text: '' });
      if (open.length > MAX_DEPTH) throw new Error('its elements are nested too deep');
      if (slash === '' && !tag.endsWith('/')) continue;
      const element = open.at(-1);
      if (element?.name !== name) throw new Error('its elements do not match');
      yield { path: open.map((it) => it.name), text: element.text };
      open.pop();
    }
  }
  addText(xml.slice(position));
  if (open.length > 0) throw new Error('it is not whole');
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** Other references stay as they are. */
function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi,
    (reference, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? reference;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : reference;
    },
  );
}
