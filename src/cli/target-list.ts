/**
 * Targets from the command line, from files and from standard input: one per line, `#` starts a comment. An invalid
 * line is reported with its number and does not prevent the others.
 */
import { UsageError } from '../core/errors.js';
import { parseTarget, type InvalidTarget, type Target } from '../selection/target.js';

export interface TargetSource {
  /** Shown in messages: `command line`, the name of a file, or `standard input`. */
  readonly name: string;
  /** The text of a file; or the arguments of the command line, which have no comments. */
  readonly lines: string | readonly string[];
}

export interface ParsedTargets {
  /** Without duplicates, in the order of their first occurrence. */
  readonly targets: readonly Target[];
  readonly invalid: readonly InvalidTarget[];
}

const MAX_LINE_LENGTH = 2_048;

/** Parses all sources without throwing. See `parseTarget` for `extraHosts`. */
export function parseTargets(
  sources: readonly TargetSource[],
  extraHosts: readonly string[] = [],
): ParsedTargets {
  const targets = new Map<string, Target>();
  const invalid: InvalidTarget[] = [];
  for (const { name, lines } of sources) {
    const numbered = typeof lines === 'string';
    const texts = numbered ? fileLines(lines) : lines;
    for (const [index, text] of texts.entries()) {
      if (numbered && text === '') continue;
      try {
        const target = parseTarget(text.slice(0, MAX_LINE_LENGTH), extraHosts);
        targets.set(`${target.kind}:${target.id}`, target);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        invalid.push({ text, error: numbered ? withPosition(error, name, index + 1) : error });
      }
    }
  }
  return { targets: [...targets.values()].filter(isDistinct(targets)), invalid };
}

/** The lines without comments, with any line endings, and without a byte order mark. */
function fileLines(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim());
}

/** A UUID without a kind is a duplicate of the same UUID with a kind. */
function isDistinct(targets: ReadonlyMap<string, Target>): (target: Target) => boolean {
  const kinds = ['chapter', 'title', 'list', 'group', 'author'] as const;
  return ({ kind, id }) => kind !== 'any' || !kinds.some((named) => targets.has(`${named}:${id}`));
}

function withPosition(error: UsageError, source: string, line: number): UsageError {
  return new UsageError(error.code, `${source}, line ${line}: ${error.message}`, {
    hint: error.hint,
    cause: error,
  });
}
