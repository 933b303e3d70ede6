/**
 * The template of `--print`: fields in braces, `\t`, `\n` and `\0`. A field without a value is empty, so that columns
 * stay.
 */
import { FIELD_VALUES, padded, parseField } from './name-template.js';
import { UsageError } from '../core/errors.js';
import { nearest } from '../core/nearest.js';

/** The fields of chapters besides those of file names. */
export const PRINT_FIELDS = {
  file: 'the path of the file',
  number: 'the same as `{chapter}`',
  url: 'the address of the chapter on MangaDex',
  pages: 'the number of pages',
  bytes: 'the size of the file in bytes',
  type: 'the event: `chapter-saved`, with `--bind` also `book-saved`, with `--dry-run` `planned`',
  why: 'with `--dry-run`: why this release was selected',
} as const;

/** The fields of the titles that a search finds. */
export const TITLE_PRINT_FIELDS = {
  id: 'the UUID of the title',
  title: 'its name',
  year: 'the year in which it began',
  status: 'such as `ongoing`',
  languages: 'the languages of its chapters, joined by commas',
  author: 'the authors, joined by commas',
  artist: 'the artists, joined by commas',
  url: 'its address on MangaDex',
} as const;

export const CHAPTER_FIELD_NAMES = [...Object.keys(FIELD_VALUES), ...Object.keys(PRINT_FIELDS)];
export const TITLE_FIELD_NAMES = Object.keys(TITLE_PRINT_FIELDS);

export type PrintValues = Readonly<Record<string, string | number | undefined>>;

export interface PrintTemplate {
  /** The names of its fields. */
  readonly fields: readonly string[];
  readonly format: (values: PrintValues) => string;
}

type FieldToken = NonNullable<ReturnType<typeof parseField>>;

const TOKEN = /\{\{|\}\}|\{([^{}]*)\}|[{}]|\\[nt0\\]|[^{}\\]+|\\/gu;
const LITERALS = new Map([
  ['{{', '{'],
  ['}}', '}'],
  ['\\n', '\n'],
  ['\\t', '\t'],
  ['\\0', '\0'],
  ['\\\\', '\\'],
]);

/** Throws UsageError `bad-option` for a field that is not one of `names`, and for an unmatched brace. */
export function compilePrintTemplate(text: string, names: readonly string[]): PrintTemplate {
  const tokens = [...text.matchAll(TOKEN)].map(([token, field]): string | FieldToken => {
    if (field !== undefined) return readField(field, names);
    if (token === '{' || token === '}') throw invalid(`Unmatched ${token} in --print: "${text}"`);
    return LITERALS.get(token) ?? token;
  });
  const fields = tokens.flatMap((token) => (typeof token === 'string' ? [] : token.field));
  return {
    fields,
    format: (values) =>
      tokens.map((token) => (typeof token === 'string' ? token : valueOf(token, values))).join(''),
  };
}

function readField(text: string, names: readonly string[]): FieldToken {
  const found = parseField(text, names);
  if (found) return found;
  const similar = nearest(text.replace(/:.*/, '').trim() || text, names);
  const suggestion = similar === undefined ? '' : `Did you mean {${similar}}? `;
  throw invalid(
    `Unknown field in --print: {${text}}`,
    `${suggestion}The fields are ${names.map((known) => `{${known}}`).join(', ')}`,
  );
}

/** On one line, except for the path of a file, which is exact. */
function valueOf({ field, digits, otherwise }: FieldToken, values: PrintValues): string {
  const value = String(values[field] ?? '') || otherwise;
  if (field === 'file') return value;
  return padded(value, digits).replace(/[\t\n\r]/g, ' ');
}

function invalid(message: string, hint?: string): UsageError {
  const example = String.raw`Example: --print "{file}\t{series}\t{chapter}"; {{ is a literal brace.`;
  return new UsageError('bad-option', message, { hint: hint ?? example });
}
