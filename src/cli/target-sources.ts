/**
 * Targets from the command line, from files and from standard input: one or several per line, `#` starts a comment. An
 * invalid one is reported with the number of its line and does not prevent the others.
 */
import { statSync } from 'node:fs';
import type { GivenOptions } from '../config/options.js';
import { UsageError } from '../core/errors.js';
import { expandHome } from '../core/home-folder.js';
import { shellQuoted } from '../core/shell-quoted.js';
import {
  looksLikeTarget,
  parseTarget,
  splitTargets,
  type InvalidTarget,
  type Target,
} from '../selection/target.js';
import type { CommandContext } from './command-context.js';
import { inputName, readInput, textOf } from './read-input.js';

const MAX_TARGET_LENGTH = 2_048;
const MAX_BYTES = 16 * 1024 * 1024;

/** From the arguments and the files of `--from-file`. Throws UsageError if none is given. */
export async function readTargets(
  targets: readonly string[],
  { fromFile = [], json }: GivenOptions,
  context: CommandContext,
): Promise<ParsedTargets> {
  const sources: TargetSource[] = [{ name: 'command line', lines: targets }];
  for (const name of fromFile) sources.push(await readSource(name, context));
  const hosts = [new URL(context.settings.apiUrl).hostname];
  let parsed = parseTargets(sources, hosts);
  if (!json && targets.length > 1 && parsed.targets.length === 0 && parsed.invalid.every(isWord)) {
    // The words are those of one name, which has one error. With --json, each argument has an event.
    sources[0] = { name: 'command line', lines: [targets.join(' ')] };
    parsed = parseTargets(sources, hosts);
  }
  if (parsed.targets.length + parsed.invalid.length === 0) {
    if (fromFile.length > 0)
      throw new UsageError(
        'bad-input-file',
        `No targets in: ${sources
          .slice(1)
          .map(({ name }) => name)
          .join(', ')}`,
      );
    throw new UsageError('bad-target', 'No chapter, title or list to download.', {
      hint: 'Say what to download: a MangaDex URL, or: tankobon search WORDS',
    });
  }
  return { ...parsed, invalid: parsed.invalid.map(withFileHint) };
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether it is neither an address nor a file. */
function isWord({ text }: InvalidTarget): boolean {
  return !looksLikeTarget(text) && !isFile(expandHome(text));
}

/** A file in the place of a target is a list of targets. */
function withFileHint(invalid: InvalidTarget): InvalidTarget {
  const { text, error } = invalid;
  if (looksLikeTarget(text) || !isFile(expandHome(text))) return invalid;
  const hint = `To read the targets in the file, run: tankobon download --from-file ${shellQuoted(text)}`;
  return { text, error: new UsageError(error.code, error.message, { hint, cause: error }) };
}

/** Reads the value of one `--from-file`. Throws UsageError('bad-input-file'). */
async function readSource(name: string, context: CommandContext): Promise<TargetSource> {
  const lines = textOf(
    await readInput(name, { what: 'target file', maxBytes: MAX_BYTES }, context),
  );
  // grep and git detect binary files in this way.
  if (lines.includes('\0'))
    throw new UsageError('bad-input-file', `Not a text file: ${inputName(name)}`);
  return { name: inputName(name), lines };
}

interface TargetSource {
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
      for (const word of splitTargets(text)) {
        try {
          const target = parseTarget(word.slice(0, MAX_TARGET_LENGTH), extraHosts);
          targets.set(`${target.kind}:${target.id}`, target);
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          const placed = numbered ? withPosition(error, name, index + 1) : error;
          invalid.push({ text: word, error: placed });
        }
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
