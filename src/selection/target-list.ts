/**
 * Many targets at once, from the command line, from files and from standard input: one a line, `#` begins a
 * comment. An invalid line is reported with its line number; the others are used.
 */
import { UsageError } from '../core/errors.js';
import { parseTarget, type Target } from './target.js';

/** Where lines come from: `command line`, a file's name, `standard input`. */
export interface TargetSource {
  readonly name: string;
  /** A file's text; or the words of the command line, of which each is a line without comments. */
  readonly lines: string | readonly string[];
}

export interface ParsedTargets {
  /** Each once, in the order in which they were first named. */
  readonly targets: readonly Target[];
  /** One for each bad line, naming its source and line. */
  readonly errors: readonly UsageError[];
}

/** Longer lines are no target, and are not shown whole. */
const LONGEST_LINE = 2_048;

/**
 * Reads all sources. Throws nothing: the caller decides what to do where `targets` is empty. `ownHosts` are
 * further hosts whose web addresses name targets, see `parseTarget`.
 */
export function parseTargets(
  sources: readonly TargetSource[],
  ownHosts: readonly string[] = [],
): ParsedTargets {
  const targets = new Map<string, Target>();
  const faults: UsageError[] = [];
  for (const { name, lines } of sources) {
    const numbered = typeof lines === 'string';
    const texts = numbered ? fileLines(lines) : lines;
    for (const [index, text] of texts.entries()) {
      if (numbered && text === '') continue;
      try {
        const target = parseTarget(text.slice(0, LONGEST_LINE), ownHosts);
        targets.set(`${target.kind}:${target.id}`, target);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        faults.push(numbered ? placed(error, name, index + 1) : error);
      }
    }
  }
  return { targets: [...targets.values()].filter(namedOnce(targets)), errors: faults };
}

/** The lines without comments; line ends of every system, and the mark that some editors put first. */
function fileLines(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim());
}

/** A bare UUID that is also named with its kind is the same thing. */
function namedOnce(targets: ReadonlyMap<string, Target>): (target: Target) => boolean {
  const kinds = ['chapter', 'title', 'list'] as const;
  return ({ kind, id }) => kind !== 'any' || !kinds.some((named) => targets.has(`${named}:${id}`));
}

function placed(error: UsageError, source: string, line: number): UsageError {
  return new UsageError(error.code, `${source}, line ${line}: ${error.message}`, {
    hint: error.hint,
    cause: error,
  });
}
