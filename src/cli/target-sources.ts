/** Reads lists of targets from files and standard input. */
import { statSync } from 'node:fs';
import type { GivenOptions } from '../config/options.js';
import { UsageError } from '../core/errors.js';
import { expandHome } from '../core/home-folder.js';
import { shellQuoted } from '../core/shell-quoted.js';
import { looksLikeTarget, type InvalidTarget } from '../selection/target.js';
import { parseTargets, type ParsedTargets, type TargetSource } from './target-list.js';
import type { CommandContext } from './command-context.js';
import { inputName, readInput, textOf } from './read-input.js';

const MAX_BYTES = 16 * 1024 * 1024;

/** From the arguments and the files of `--from-file`. Throws UsageError if none is given. */
export async function readTargets(
  targets: readonly string[],
  { fromFile = [] }: GivenOptions,
  context: CommandContext,
): Promise<ParsedTargets> {
  const sources: TargetSource[] = [{ name: 'command line', lines: targets }];
  for (const name of fromFile) sources.push(await readSource(name, context));
  const parsed = parseTargets(sources, [new URL(context.settings.apiUrl).hostname]);
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
