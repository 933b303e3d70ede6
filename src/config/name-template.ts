/**
 * The template language of `--name`: fields in braces, literal text, `/` between folders.
 *
 *   {chapter}       a field: series, volume, chapter, title, group, language; author, artist, year, title-id;
 *                   chapter-id or id, uploader (an id), date (the UTC day since which it is readable)
 *   {chapter:03}    its integer part padded with zeros to three digits: 7 → 007, 10.5 → 010.5
 *   {volume|TBD}    the text after the bar in place of a missing value
 *   [{group}]       square or round brackets are left out if all fields in them are missing
 *   {{ and }}       a literal brace
 *
 * The text next to a missing field is left out with it. Text between two fields belongs to the second one, except for
 * a suffix that follows the first without a space. So `{series} Vol.{volume} - {title}` is `Series - Title` without
 * a volume, and `Series Vol.1` without a title.
 */
import { StorageError, UsageError } from '../core/errors.js';

/** Each field, and its value for help and documentation. */
export const FIELD_VALUES = {
  series:
    'the name of the title: by title-language, or English, the romanised original or the original',
  volume: '`{volume:02}` pads with zeros to two digits',
  chapter: 'the number; `{chapter:03}` makes 7 into `007` and 10.5 into `010.5`',
  title: 'the name of the chapter',
  group: 'the groups, joined by `+`',
  language: 'such as `pt-br`',
  author: 'the authors, joined by commas',
  artist: 'the artists, joined by commas',
  year: 'the year in which the title began',
  'title-id': 'the UUID of the title',
  'chapter-id': 'the UUID of the chapter',
  id: 'the same as `{chapter-id}`',
  uploader: 'the UUID of the user who uploaded the chapter',
  date: 'the day, in UTC, since which the chapter is readable, such as `2024-01-05`',
} as const;
type NameField = keyof typeof FIELD_VALUES;
export const NAME_FIELDS = Object.keys(FIELD_VALUES) as readonly NameField[];
/** Missing, empty and blank values are left out. */
export type FieldValues = Readonly<Partial<Record<NameField, string | undefined>>>;

/** A name is never empty: one without values is the id. */
export type NameValues = FieldValues & { readonly id: string };

/** What named a file, as its record keeps it. Older files have less of it. */
export interface RecordedName {
  /** The path that the template gave, below the output folder, with `/` between folders; or OWNERS_NAME. */
  readonly path?: string | undefined;
  /** The folders of that template. */
  readonly folderTemplate?: string | undefined;
  /** The name of the file in that template. */
  readonly fileTemplate?: string | undefined;
}

/** The recorded path of a file that no template named. */
export const OWNERS_NAME = '';

/** A field or bracket that may be missing, with the text that belongs to it. */
interface Part {
  readonly before: string;
  readonly content: FieldPart | BracketPart;
  readonly after: string;
}
interface Field<Name extends string> {
  readonly field: Name;
  readonly digits: number;
  /** In place of a missing value. */
  readonly otherwise: string;
}
type FieldPart = Field<NameField>;
interface BracketPart {
  readonly open: string;
  readonly inside: TemplateSegment;
  readonly close: string;
}

export interface TemplateSegment {
  readonly parts: readonly Part[];
  /** The text after the last part that does not belong to it; the whole text if there are no parts. */
  readonly rest: string;
}

type Token = string | FieldPart | BracketPart;

/** Returns the segments of the path. Throws like `compileNameTemplate`. */
export function parseTemplate(template: string): readonly TemplateSegment[] {
  if (template.trim() === '') throw invalid(template, 'it is empty');
  if (/^([/\\~]|[a-z]:)/i.test(template)) throw outside(template);
  const texts = template.split('/');
  if (texts.some((text) => /^\s*\.\.?\s*$/.test(text))) throw outside(template);
  if (texts.some((text) => text.trim() === '')) throw invalid(template, 'a folder has no name');
  return texts.map((text) => toSegment(tokens(template, text)));
}

/** The folder part of a template, which decides where chapters are. */
export function foldersOfTemplate(template: string): string {
  return template.slice(0, Math.max(0, template.lastIndexOf('/')));
}

/** Whether all files of a title are in one folder by this folder part. */
export function isTitleFolder(folders: string): boolean {
  const fields = [...folders.matchAll(/\{\s*([\w-]+)/g)].map(([, name = '']) => name.toLowerCase());
  return fields.length > 0 && fields.every((name) => TITLE_FIELDS.includes(name));
}

/** Whether a folder part is one folder that the owner chose, such as the key `folder` of a subscription. */
export function isWrittenOut(folders: string): boolean {
  return folders !== '' && !folders.includes('{');
}

const TITLE_FIELDS: readonly string[] = ['series', 'author', 'artist', 'year', 'title-id'];

/** Returns the text for these values, not yet cleaned for a file system. */
export function renderSegment(segment: TemplateSegment, values: FieldValues): string {
  if (segment.parts.length === 0) return segment.rest;
  const texts = segment.parts.map(({ content }) => renderContent(content, values));
  const first = texts.findIndex((text) => text !== undefined);
  if (first === -1) return '';
  const last = texts.findLastIndex((text) => text !== undefined);
  const rendered = segment.parts.flatMap(({ before, after }, index) => {
    const text = texts[index];
    if (text === undefined) return [];
    // A separator is left out at an end where a field is missing.
    const bareStart = index === first && first > 0;
    const bareEnd = index === last && last < texts.length - 1;
    return [
      bareStart ? before.replace(/^[\s\p{P}\p{S}]+/u, '') : before,
      text,
      bareEnd ? after.replace(/[\s\p{P}\p{S}]+$/u, '') : after,
    ];
  });
  return rendered.join('') + segment.rest;
}

function renderContent(content: FieldPart | BracketPart, values: FieldValues): string | undefined {
  if ('inside' in content) {
    const inside = renderSegment(content.inside, values);
    if (content.inside.parts.length > 0 && inside.trim() === '') return undefined;
    return content.open + inside + content.close;
  }
  const { field, digits, otherwise } = content;
  const value = values[field]?.trim() ?? '';
  if (value !== '') return padded(value, digits);
  return otherwise === '' ? undefined : otherwise;
}

/** The whole part of a number with at least this many digits. */
export function padded(value: string, digits: number): string {
  const whole = /^\d+/.exec(value)?.[0] ?? '';
  return whole === '' ? value : whole.padStart(digits, '0') + value.slice(whole.length);
}

/** Assigns the text between two fields to one of them. */
function toSegment(list: readonly Token[]): TemplateSegment {
  const parts: { before: string; content: FieldPart | BracketPart; after: string }[] = [];
  let pending = '';
  for (const token of list) {
    if (typeof token === 'string') {
      pending += token;
      continue;
    }
    const last = parts.at(-1);
    const suffixEnd = last ? Math.max(0, pending.search(/\s/u)) : 0;
    if (last) last.after = pending.slice(0, suffixEnd);
    parts.push({ before: pending.slice(suffixEnd), content: token, after: '' });
    pending = '';
  }
  const last = parts.at(-1);
  const suffix = last ? (/^\S*/u.exec(pending)?.[0] ?? '') : '';
  if (last) last.after = suffix;
  return { parts, rest: pending.slice(suffix.length) };
}

const FIELD = /^\s*([\w-]+)\s*(?::(\d{1,2}))?\s*(?:\|([^|]*))?$/;
const TOKEN = /\{\{|\}\}|\{([^{}]*)\}|[[(]|[\])]|[^{}[\]()]+|[{}]/gu;
const CLOSES: Readonly<Record<string, string>> = { '[': ']', '(': ')' };

/** Unmatched brackets, and brackets without a field inside, are literal text. */
function tokens(template: string, text: string): readonly Token[] {
  const levels: { open: string; list: Token[] }[] = [{ open: '', list: [] }];
  const close = (): Token[] => levels.pop()?.list ?? [];
  const current = (): Token[] => levels.at(-1)?.list ?? [];
  for (const [token, field] of text.matchAll(TOKEN)) {
    if (field !== undefined) current().push(readField(field));
    else if (token === '{{' || token === '}}') current().push(token.charAt(0));
    else if (token === '{' || token === '}') throw invalid(template, `unmatched ${token}`);
    else if (token in CLOSES) levels.push({ open: token, list: [] });
    else if (CLOSES[levels.at(-1)?.open ?? ''] === token) {
      const open = levels.at(-1)?.open ?? '';
      const inside = close();
      for (const each of bracket(open, inside, token)) current().push(each);
    } else current().push(token);
  }
  while (levels.length > 1) {
    const open = levels.at(-1)?.open ?? '';
    const list = close();
    current().push(open);
    for (const each of list) current().push(each);
  }
  return close();
}

function bracket(open: string, list: readonly Token[], close: string): Token[] {
  const holdsField = list.some((token) => typeof token !== 'string');
  return holdsField ? [{ open, inside: toSegment(list), close }] : [open, ...list, close];
}

/** One of `names` in braces, such as `chapter:03` or `volume:02|TBD`; undefined for any other text. */
export function parseField<Name extends string>(
  text: string,
  names: readonly Name[],
): Field<Name> | undefined {
  const [, name = '', digits = '0', otherwise = ''] = FIELD.exec(text) ?? [];
  const field = names.find((known) => known === name.toLowerCase());
  if (field === undefined) return undefined;
  return { field, digits: Number(digits), otherwise: otherwise.trim() };
}

function readField(text: string): FieldPart {
  const found = parseField(text, NAME_FIELDS);
  if (found) return found;
  const known = NAME_FIELDS.map((each) => `{${each}}`).join(', ');
  throw new UsageError('bad-option', `Unknown field in the name template: {${text}}`, {
    hint: `The fields are ${known}; {chapter:03} pads with zeros.`,
  });
}

function invalid(template: string, reason: string): UsageError {
  return new UsageError('bad-option', `Invalid name template "${template}": ${reason}`, {
    hint: 'Example: --name "{series}/{series} Ch.{chapter:03} [{group}].cbz"; {{ is a literal brace.',
  });
}

function outside(template: string): StorageError {
  return new StorageError(
    'outside-output',
    `The name template leaves the output folder: ${template}`,
  );
}
