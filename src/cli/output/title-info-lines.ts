/** What a title has, as text: its fields, then a table of its languages and one of its groups. Pure. */
import stringWidth from 'string-width';
import { formatBytes, formatCount, pluralize } from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import type { TitleInfo } from '../../events/info-events.js';
import { numberRanges } from '../../config/ranges.js';
import { indentRest, wrapText } from '../help-format.js';
import { tableLines } from './table.js';
import { maxOf } from '../../core/extremes.js';

/** Further ones are only counted; `--json` has them all. */
const MAX_ROWS = 20;
const MAX_RANGES = 10;
const MAX_CODE_LENGTH = 12;
/** The indent of lines that go on. */
const INDENT_COLUMNS = 4;

/** @param columns of the terminal; without them no line is wrapped */
export function titleInfoLines(info: TitleInfo, columns?: number): string[] {
  const { names, languages, groups, external } = info;
  return [
    printableLine(info.name) || info.title,
    ...fieldLines(info, columns),
    ...(names.length < 2 ? [] : ['', ...nameLines(info, columns)]),
    ...(languages.length === 0
      ? []
      : ['', ...tableOrLines(languageRows(info), [1, 2, 3], languageLines(info), columns)]),
    ...(groups.length === 0
      ? []
      : ['', ...tableOrLines(groupRows(info), [1], groupLines(info), columns)]),
    ...(external.length === 0 ? [] : ['', ...externalLines(info)]),
  ];
}

/** A table that is wider than the terminal would be cut: lines are wrapped. */
function tableOrLines(
  rows: readonly string[][],
  numeric: readonly number[],
  lines: readonly string[],
  columns?: number,
): string[] {
  const table = tableLines(rows, { numeric });
  if (columns === undefined || maxOf(table.map((line) => stringWidth(line))) < columns)
    return table;
  return lines.map((line) => wrapLine(line, INDENT_COLUMNS, columns));
}

/** Addresses stay whole. */
function wrapLine(line: string, indent: number, columns: number): string {
  return indentRest(wrapText(line, columns - 1 - indent), indent);
}

function fieldLines(info: TitleInfo, columns?: number): string[] {
  const { year, status, contentRating, originalLanguage, takenDown, unpublished } = info;
  const people = [...new Set([...info.authors, ...info.artists])];
  const fields: readonly (readonly [string, string | number | undefined])[] = [
    ['URL', info.url],
    ['By', people.join(', ')],
    ['Year', year],
    ['Status', status],
    ['Original', originalLanguage],
    ['Rating', contentRating],
    ['Tags', info.tags.join(', ')],
    ['Volumes', volumesText(info)],
    ['Chapters', chaptersText(info)],
    ['Taken down', takenDown === 0 ? '' : pluralize(takenDown, 'release')],
    ['Upcoming', unpublished === 0 ? '' : pluralize(unpublished, 'release')],
  ];
  const known = fields.flatMap(([name, value = '']) =>
    value === '' ? [] : [[name, printableLine(String(value))] as const],
  );
  const width = maxOf(known.map(([name]) => name.length)) + 1;
  return known.map(([name, value]) => {
    const heading = `${name}:`.padEnd(width);
    const text = columns === undefined ? value : wrapLine(value, heading.length + 1, columns);
    return `${heading} ${text}`;
  });
}

/** Such as `1-2; 3 in all`. */
function volumesText({ volumes, volumeCount }: TitleInfo): string {
  const all = volumeCount === undefined ? [] : [`${volumeCount} in all`];
  return [...(volumes.length === 0 ? [] : [numberRanges(volumes, MAX_RANGES)]), ...all].join('; ');
}

/** Such as `6: 1-4, 6, 10.5; missing: 5, 7-9`. */
function chaptersText({ chapters, numbers, missing }: TitleInfo): string {
  if (chapters === 0) return 'none that can be downloaded';
  const listed = numbers.length === 0 ? '' : `: ${numberRanges(numbers, MAX_RANGES)}`;
  const gaps = missing.length === 0 ? '' : `; missing: ${numberRanges(missing, MAX_RANGES)}`;
  return `${formatCount(chapters)}${listed}${gaps}`;
}

function languageRows({ languages }: TitleInfo): readonly string[][] {
  return [
    ['language', 'chapters', 'pages', 'est. size', 'numbers', 'missing'],
    ...languages.map(({ language, chapters, pages, bytes, numbers, missing }) => [
      printableLine(language),
      formatCount(chapters),
      formatCount(pages),
      formatBytes(bytes),
      firstAndLast(numbers),
      numberRanges(missing, MAX_RANGES),
    ]),
  ];
}

function languageLines({ languages }: TitleInfo): readonly string[] {
  return languages.map(({ language, chapters, pages, bytes, numbers, missing }) => {
    const counts = `${pluralize(chapters, 'chapter')}, ${pluralize(pages, 'page')}, est. ${formatBytes(bytes)}`;
    const gaps = missing.length === 0 ? '' : `; missing: ${numberRanges(missing, MAX_RANGES)}`;
    return `${printableLine(language)}: ${counts}; ${firstAndLast(numbers)}${gaps}`;
  });
}

function firstAndLast(numbers: readonly string[]): string {
  const [first = '', last = first] = [numbers[0], numbers.at(-1)];
  return printableLine(first === last ? first : `${first}-${last}`);
}

function groupRows({ groups }: TitleInfo): readonly string[][] {
  const rows = groups
    .slice(0, MAX_ROWS)
    .map(({ id, name, releases, languages }) => [
      printableLine(name) || id,
      formatCount(releases),
      printableLine(languages.join(', ')),
    ]);
  const more = moreLine(groups, 'more group').map((line) => [line]);
  return [['group', 'releases', 'languages'], ...rows, ...more];
}

function groupLines({ groups }: TitleInfo): readonly string[] {
  const lines = groups.slice(0, MAX_ROWS).map(({ id, name, releases, languages }) => {
    const group = printableLine(name) || id;
    return `${group}: ${pluralize(releases, 'release')}; ${printableLine(languages.join(', '))}`;
  });
  return [...lines, ...moreLine(groups, 'more group')];
}

/** How many are left out; no line if none are. */
function moreLine({ length }: readonly unknown[], what: string): string[] {
  return length > MAX_ROWS ? [`and ${pluralize(length - MAX_ROWS, what)}`] : [];
}

/** The names that `title-language` chooses from, in the order of the service. */
function nameLines({ names }: TitleInfo, columns?: number): string[] {
  const shown = names.slice(0, MAX_ROWS);
  const codes = shown.map(({ language }) => printableLine(language, MAX_CODE_LENGTH));
  const width = maxOf(codes.map(({ length }) => length));
  return [
    'Names, for --title-language:',
    ...shown.map(({ name }, index) => {
      const heading = `  ${(codes[index] ?? '').padEnd(width)}`;
      const indent = heading.length + 2;
      const lines = wideLines(printableLine(name), (columns ?? Infinity) - 1 - indent);
      return `${heading}  ${indentRest(lines.join('\n'), indent)}`;
    }),
    ...moreLine(names, 'more name').map((line) => `  ${line}`),
  ];
}

/** The text in lines of at most this width. Characters of East Asia take two columns, without spaces between words. */
function wideLines(text: string, width: number): string[] {
  const lines = [''];
  const words = new Intl.Segmenter('ja', { granularity: 'word' }).segment(text);
  for (const { segment: word } of words) {
    const parts =
      stringWidth(word) > width ? [...new Intl.Segmenter().segment(word)] : [{ segment: word }];
    for (const { segment } of parts) {
      const line = `${lines.at(-1) ?? ''}${segment}`;
      if (stringWidth(line) <= width) lines[lines.length - 1] = line;
      else lines.push(segment.trimStart());
    }
  }
  return lines.map((line) => line.trimEnd());
}

/** Addresses are never cut. */
function externalLines({ external }: TitleInfo): string[] {
  return [
    "Only on the publisher's site:",
    ...external.slice(0, MAX_ROWS).map(({ number, language = '', externalUrl = '' }) => {
      const chapter = number === undefined ? 'without a number' : `Ch. ${number}`;
      return `  ${printableLine(`${chapter} (${language}): ${externalUrl}`)}`;
    }),
    ...moreLine(external, 'more chapter').map((line) => `  ${line}`),
  ];
}
