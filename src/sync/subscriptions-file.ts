/**
 * Reads the subscriptions file, and edits it as a person would: comments, order and formatting of everything else stay.
 * Every problem is reported with its file, line, column and field.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  YAMLMap,
  type Alias,
  type Document,
} from 'yaml';
import type { ZodError } from 'zod';
import { UsageError, thrownMessage } from '../core/errors.js';
import { groupBy } from '../core/group-by.js';
import { pluralize } from '../core/human-format.js';
import { nearest } from '../core/nearest.js';
import { describeIssue, fieldName, messageOf, type Path } from './issue-messages.js';
import {
  keysAt,
  parseSeriesTarget,
  subscriptionsSchema,
  toSubscriptions,
  type Subscriptions,
} from './subscriptions.js';
import type { Target } from '../selection/target.js';

export interface SubscriptionsText {
  /** For messages. */
  readonly file: string;
  readonly text: string;
  /** Host names whose URLs are accepted as targets, besides MangaDex. */
  readonly extraHosts: readonly string[];
}

/** Throws UsageError `bad-subscriptions`. */
export function parseSubscriptions(source: SubscriptionsText): Subscriptions {
  const yaml = parseYaml(source);
  const value: unknown = readValue(yaml);
  const result = subscriptionsSchema(source.extraHosts).safeParse(value ?? {}, {
    error: describeIssue,
  });
  if (!result.success) throw schemaError(result.error, yaml);
  const subscriptions = toSubscriptions(result.data, source.extraHosts);
  const seen = new Map<string, number>();
  for (const [index, { target }] of subscriptions.series.entries()) {
    const first = seen.get(keyOf(target));
    if (first !== undefined) {
      const path = ['series', index, 'target'];
      throw invalid([problemAt(path, `is the same as series[${first}].target`, yaml)]);
    }
    seen.set(keyOf(target), index);
  }
  return subscriptions;
}

const keyOf = ({ kind, id }: Target) => `${kind}:${id}`;

/** Options by their keys in the file, as written there. */
export type SeriesEntry = Readonly<Record<string, unknown>>;

export interface SeriesChange {
  /** Keys to set. */
  readonly entry: SeriesEntry;
  /** Keys to remove. */
  readonly unset?: readonly string[];
}

/**
 * The text with a series added at the end, or with the series that is there changed. Throws UsageError
 * `bad-subscriptions` if the text or the result is invalid.
 */
export function addSeries(
  source: SubscriptionsText,
  target: string,
  { entry, unset = [] }: SeriesChange,
): { readonly text: string; readonly isNew: boolean } {
  const index = indexOfTarget(
    parseSubscriptions(source),
    parseSeriesTarget(target, source.extraHosts),
  );
  const { document } = parseYaml(source);
  if (index >= 0) {
    for (const [key, value] of Object.entries(entry))
      document.setIn(['series', index, key], createNode(document, value));
    for (const key of unset) document.deleteIn(['series', index, key]);
  } else appendSeries(document, target, entry);
  const text = print(document, source);
  parseSubscriptions({ ...source, text });
  return { text, isNew: index < 0 };
}

/** The text with a hook set, or removed if there is no value. Throws UsageError `bad-subscriptions`. */
export function setHook(source: SubscriptionsText, hook: string, value?: unknown): string {
  parseSubscriptions(source);
  const { document } = parseYaml(source);
  if (isScalar(document.contents)) document.contents = null;
  if (value === undefined) document.deleteIn(['hooks', hook]);
  else {
    if (!isMap(document.get('hooks'))) document.set('hooks', document.createNode({}));
    document.setIn(['hooks', hook], createNode(document, value));
  }
  const text = print(document, source);
  parseSubscriptions({ ...source, text });
  return text;
}

/** The text with these series added at the end; those that are there stay as they are. Throws as addSeries does. */
export function addMissingSeries(
  source: SubscriptionsText,
  titles: readonly { readonly id: string; readonly entry: SeriesEntry }[],
): { readonly text: string; readonly added: readonly string[] } {
  const subscriptions = parseSubscriptions(source);
  const missing = titles.filter(
    ({ id }) => indexOfTarget(subscriptions, { kind: 'title', id }) < 0,
  );
  if (missing.length === 0) return { text: source.text, added: [] };
  const { document } = parseYaml(source);
  for (const { id, entry } of missing)
    appendSeries(document, `https://mangadex.org/title/${id}`, entry);
  const text = print(document, source);
  parseSubscriptions({ ...source, text });
  return { text, added: missing.map(({ id }) => id) };
}

function appendSeries(document: Document, target: string, entry: SeriesEntry): void {
  // Only `null` has passed as a file without series.
  if (isScalar(document.contents)) document.contents = null;
  if (!isSeq(document.get('series'))) document.set('series', document.createNode([]));
  const node = new YAMLMap();
  node.set('target', document.createNode(target));
  for (const [key, value] of Object.entries(entry)) node.set(key, createNode(document, value));
  document.addIn(['series'], node);
}

/** The text without the series at this index. */
export function removeSeries(source: SubscriptionsText, index: number): string {
  const { document } = parseYaml(source);
  document.deleteIn(['series', index]);
  return print(document, source);
}

export function indexOfTarget({ series }: Subscriptions, { kind, id }: Target): number {
  return series.findIndex(({ target }) => target.kind === kind && target.id === id);
}

/** Lists and maps within a series are written on one line. */
function createNode(document: Document, value: unknown) {
  return document.createNode(value, { flow: true });
}

/** The library keeps comments and order, but not the spaces within lines: those of the original are kept here. */
function print(document: Document, { text }: SubscriptionsText): string {
  const printed = document.toString({ lineWidth: 0 });
  const originals = groupBy(text.split('\n'), withoutSpaces);
  const kept = printed
    .split('\n')
    .map((line) => originals.get(withoutSpaces(line))?.shift() ?? line)
    .join('\n');
  return isSameValue(kept, printed) ? kept : printed;
}

const withoutSpaces = (line: string) => line.replace(/\s+/g, '');

function isSameValue(one: string, other: string): boolean {
  const [first, second] = [parseDocument(one), parseDocument(other)];
  if (first.errors.length > 0 || second.errors.length > 0) return false;
  return isDeepStrictEqual(first.toJS(), second.toJS());
}

interface ParsedYaml {
  readonly file: string;
  readonly lines: LineCounter;
  readonly document: Document;
}

function parseYaml({ text, file }: SubscriptionsText): ParsedYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error) {
    const message = error.code === 'MULTIPLE_DOCS' ? 'A second document begins' : error.message;
    throw invalid([problem({ file, lines }, error.pos[0], '', message)]);
  }
  return { file, lines, document };
}

function readValue(yaml: ParsedYaml): unknown {
  const { document } = yaml;
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    // An alias without an anchor, or too many aliases.
    const aliases: Alias[] = [];
    visit(document, { Alias: (_, alias) => void aliases.push(alias) });
    const alias = aliases.find((one) => !one.resolve(document)) ?? aliases[0];
    throw invalid([problem(yaml, alias?.range?.[0] ?? 0, '', thrownMessage(cause))]);
  }
}

/** All problems, in the order of the file. */
function schemaError(error: ZodError, yaml: ParsedYaml): UsageError {
  const problems = error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys')
      return issue.path.length === 0
        ? problem(yaml, 0, '', 'must start with "series:"')
        : problemAt(issue.path, messageOf(issue), yaml);
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      const similar = nearest(key, keysAt(issue.path));
      const suggestion = similar === undefined ? '' : `; did you mean ${similar}?`;
      const offset = offsetOf(yaml.document, path, 'key');
      return problem(yaml, offset, fieldName(path), `unknown key${suggestion}`);
    });
  });
  return invalid(problems);
}

/** One problem, and where it is in the file. */
interface Problem {
  readonly offset: number;
  readonly text: string;
}

function problemAt(path: Path, message: string, yaml: ParsedYaml): Problem {
  return problem(yaml, offsetOf(yaml.document, path), fieldName(path), message);
}

function problem(
  { file, lines }: Pick<ParsedYaml, 'file' | 'lines'>,
  offset: number,
  field: string,
  message: string,
): Problem {
  const { line, col } = lines.linePos(offset);
  const at = field === '' ? '' : ` ${field}:`;
  return { offset, text: `${file}:${line}:${col}:${at} ${message}` };
}

/** Further problems are only counted. */
const MAX_LISTED_PROBLEMS = 20;

function invalid(problems: readonly Problem[]): UsageError {
  const texts = [...problems].sort((a, b) => a.offset - b.offset).map(({ text }) => text);
  const rest = texts.length - MAX_LISTED_PROBLEMS;
  const lines = [
    ...texts.slice(0, MAX_LISTED_PROBLEMS),
    ...(rest > 0 ? [`and ${pluralize(rest, 'more problem')}`] : []),
  ];
  return new UsageError('bad-subscriptions', lines.join('\n'));
}

/** The position of the value at `path`, of its key, or of the nearest part that is there. */
function offsetOf(document: Document, path: Path, of: 'value' | 'key' = 'value'): number {
  const key = path.at(-1);
  const parent: unknown =
    path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  if (isMap(parent)) {
    const pair = parent.items.find((item) => isScalar(item.key) && item.key.value === key);
    const candidates: unknown[] = pair ? [of === 'value' ? pair.value : undefined, pair.key] : [];
    for (const found of candidates) if (isNode(found) && found.range) return found.range[0];
  }
  if (isSeq(parent) && typeof key === 'number') {
    const item = parent.items[key];
    if (isNode(item) && item.range) return item.range[0];
  }
  if (isNode(parent) && parent.range) return parent.range[0];
  return path.length > 0 ? offsetOf(document, path.slice(0, -1)) : 0;
}
