/**
 * The language of `--name`: fields in braces, the rest as it stands, `/` between folders.
 *
 *   {chapter}       a field: series, volume, chapter, title, group, language, id
 *   {chapter:03}    its whole part padded with zeros to three digits: 7 → 007, 10.5 → 010.5
 *   [{group}]       brackets, square or round, that hold only missing fields go with them
 *   {{ and }}       a brace
 *
 * A missing field takes along the text that belongs to it: between two fields that is everything up to the
 * second one, but for a suffix that stands to the first without a space. So `{series} Vol.{volume} - {title}`
 * is `Series - Title` without a volume, and `Series Vol.1` without a title.
 */
import { StorageError, UsageError } from '../core/errors.js';

export const NAME_FIELDS = [
  'series',
  'volume',
  'chapter',
  'title',
  'group',
  'language',
  'id',
] as const;
export type NameField = (typeof NAME_FIELDS)[number];
/** What is known of a chapter; a field that is missing, empty or blank is left out. */
export type FieldValues = Readonly<Partial<Record<NameField, string | undefined>>>;

/** One thing that may be missing, with the text that goes with it. */
interface Part {
  readonly before: string;
  readonly content: FieldPart | BracketPart;
  readonly after: string;
}
interface FieldPart {
  readonly field: NameField;
  readonly digits: number;
}
interface BracketPart {
  readonly open: string;
  readonly inside: TemplateSegment;
  readonly close: string;
}

export interface TemplateSegment {
  readonly parts: readonly Part[];
  /** What follows the last part and does not go with it; the whole text where there is no part. */
  readonly rest: string;
}

type Token = string | FieldPart | BracketPart;

/** The segments of a template, the last of them the file's name. Throws as `readNameTemplate` says. */
export function parseTemplate(template: string): readonly TemplateSegment[] {
  if (template.trim() === '') throw bad(template, 'it is empty');
  if (/^([/\\~]|[a-z]:)/i.test(template)) throw outside(template);
  const texts = template.split('/');
  if (texts.some((text) => /^\s*\.\.?\s*$/.test(text))) throw outside(template);
  if (texts.some((text) => text.trim() === '')) throw bad(template, 'a folder in it has no name');
  return texts.map((text) => asSegment(tokens(template, text)));
}

/** The segment's text for these values, not yet cleaned for a file system. */
export function renderSegment(segment: TemplateSegment, values: FieldValues): string {
  if (segment.parts.length === 0) return segment.rest;
  const texts = segment.parts.map(({ content }) => renderContent(content, values));
  const first = texts.findIndex((text) => text !== undefined);
  if (first === -1) return '';
  const last = texts.findLastIndex((text) => text !== undefined);
  const pieces = segment.parts.flatMap(({ before, after }, index) => {
    const text = texts[index];
    if (text === undefined) return [];
    // A separator separates two things: at an end that a missing field left bare it goes.
    const bareStart = index === first && first > 0;
    const bareEnd = index === last && last < texts.length - 1;
    return [
      bareStart ? before.replace(/^[\s\p{P}\p{S}]+/u, '') : before,
      text,
      bareEnd ? after.replace(/[\s\p{P}\p{S}]+$/u, '') : after,
    ];
  });
  return pieces.join('') + segment.rest;
}

function renderContent(content: FieldPart | BracketPart, values: FieldValues): string | undefined {
  if ('inside' in content) {
    const inside = renderSegment(content.inside, values);
    if (content.inside.parts.length > 0 && inside.trim() === '') return undefined;
    return content.open + inside + content.close;
  }
  const value = values[content.field]?.trim() ?? '';
  return value === '' ? undefined : padded(value, content.digits);
}

function padded(value: string, digits: number): string {
  const whole = /^\d+/.exec(value)?.[0] ?? '';
  return whole === '' ? value : whole.padStart(digits, '0') + value.slice(whole.length);
}

/** Gives each text between two fields to the one or the other. */
function asSegment(list: readonly Token[]): TemplateSegment {
  const parts: { before: string; content: FieldPart | BracketPart; after: string }[] = [];
  let waiting = '';
  for (const token of list) {
    if (typeof token === 'string') {
      waiting += token;
      continue;
    }
    const last = parts.at(-1);
    const suffixEnd = last ? Math.max(0, waiting.search(/\s/u)) : 0;
    if (last) last.after = waiting.slice(0, suffixEnd);
    parts.push({ before: waiting.slice(suffixEnd), content: token, after: '' });
    waiting = '';
  }
  const last = parts.at(-1);
  const suffix = last ? (/^\S*/u.exec(waiting)?.[0] ?? '') : '';
  if (last) last.after = suffix;
  return { parts, rest: waiting.slice(suffix.length) };
}

const TOKEN = /\{\{|\}\}|\{([^{}]*)\}|[[(]|[\])]|[^{}[\]()]+|[{}]/gu;
const CLOSES: Readonly<Record<string, string>> = { '[': ']', '(': ')' };

/** The tokens of one segment. Brackets without a partner, or without a field inside, are plain text. */
function tokens(template: string, text: string): readonly Token[] {
  const levels: { open: string; list: Token[] }[] = [{ open: '', list: [] }];
  const close = (): Token[] => levels.pop()?.list ?? [];
  const here = (): Token[] => levels.at(-1)?.list ?? [];
  for (const [token, field] of text.matchAll(TOKEN)) {
    if (field !== undefined) here().push(readField(template, field));
    else if (token === '{{' || token === '}}') here().push(token.charAt(0));
    else if (token === '{' || token === '}') throw bad(template, `a ${token} stands alone`);
    else if (token in CLOSES) levels.push({ open: token, list: [] });
    else if (CLOSES[levels.at(-1)?.open ?? ''] === token) {
      const open = levels.at(-1)?.open ?? '';
      const inside = close();
      here().push(...bracket(open, inside, token));
    } else here().push(token);
  }
  while (levels.length > 1) {
    const open = levels.at(-1)?.open ?? '';
    const list = close();
    here().push(open, ...list);
  }
  return close();
}

function bracket(open: string, list: readonly Token[], close: string): Token[] {
  const holdsField = list.some((token) => typeof token !== 'string');
  return holdsField ? [{ open, inside: asSegment(list), close }] : [open, ...list, close];
}

function readField(template: string, text: string): FieldPart {
  const [, name = '', digits = '0'] = /^\s*(\w+)\s*(?::(\d{1,2}))?\s*$/.exec(text) ?? [];
  const field = NAME_FIELDS.find((known) => known === name.toLowerCase());
  if (field !== undefined) return { field, digits: Number(digits) };
  const known = NAME_FIELDS.map((each) => `{${each}}`).join(', ');
  throw new UsageError('bad-option', `The name template has no field {${text}}.`, {
    hint: `The fields are ${known}; {chapter:03} pads with zeros.`,
  });
}

function bad(template: string, why: string): UsageError {
  return new UsageError('bad-option', `The name template "${template}" cannot be used: ${why}.`, {
    hint: 'A right one: --name "{series}/{series} Ch.{chapter:03} [{group}].cbz"; {{ is a brace.',
  });
}

function outside(template: string): StorageError {
  return new StorageError('outside-output', `The name template "${template}" leaves the folder.`);
}
