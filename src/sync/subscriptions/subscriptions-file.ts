/** Reads the subscriptions file. Every problem is reported with its file, line, column and field. */
import {
  Composer,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  visit,
  type Alias,
  type CST,
  type Document,
} from 'yaml';
import type { ZodError } from 'zod';
import { UsageError, thrownMessage } from '../../core/errors.js';
import { pluralize } from '../../core/human-format.js';
import { nearest } from '../../core/nearest.js';
import { describeIssue, fieldName, messageOf, type Path } from './issue-messages.js';
import {
  keysAt,
  subscriptionsSchema,
  toSubscriptions,
  type Subscriptions,
} from './subscriptions-schema.js';
import type { Target } from '../../selection/target.js';

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
  const value = withEntries(readValue(yaml));
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

/** An entry of the series that is a text is its target. */
function withEntries(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('series' in value)) return value;
  const { series } = value;
  if (!Array.isArray(series)) return value;
  const entries = series.map((each: unknown) =>
    typeof each === 'string' ? { target: each } : each,
  );
  return { ...value, series: entries };
}

const keyOf = ({ kind, id }: Target) => `${kind}:${id}`;

interface ParsedYaml {
  readonly file: string;
  readonly lines: LineCounter;
  readonly document: Document;
}

/** The keys of a series are three levels deep; the body of a webhook can have more. */
const MAX_DEPTH = 100;
/** Each anchor can be used a hundred times. */
const MAX_ALIASES = 1_000;

export function parseYaml({ text, file }: SubscriptionsText): ParsedYaml {
  const lines = new LineCounter();
  const invalidAt = (offset: number, message: string) =>
    invalid([problem({ file, lines }, offset, '', message)]);
  const composer = new Composer({ lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const tokens = boundedTokens(text, lines, invalidAt);
  const [document, second] = composer.compose(tokens, true, text.length);
  if (!document) throw invalidAt(0, 'must start with "series:"');
  const [error] = document.errors;
  if (error) throw invalidAt(error.pos[0], error.message);
  if (second) throw invalidAt(second.range[0], 'A second document begins');
  return { file, lines, document };
}

/** The library composes documents by recursion, in which too many levels end the process without an error. */
function* boundedTokens(
  text: string,
  lines: LineCounter,
  invalidAt: (offset: number, message: string) => UsageError,
): Generator<CST.Token> {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  let aliases = 0;
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_DEPTH)
      throw invalidAt(parser.offset, `is nested more than ${MAX_DEPTH} levels deep`);
    if (lexeme.startsWith('*')) aliases += 1;
    if (aliases > MAX_ALIASES)
      throw invalidAt(parser.offset, `has more than ${MAX_ALIASES} aliases`);
  }
  yield* parser.end();
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
