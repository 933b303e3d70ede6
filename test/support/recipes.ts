/** The recipes of the documentation: fenced blocks of shell commands below a comment that says how they are run. */
import { readFileSync } from 'node:fs';

export interface Recipe {
  /** Such as `docs/scripting.md:15`. */
  readonly source: string;
  readonly script: string;
  /** The recipe is a file of this name in the home folder, not commands to run. */
  readonly file?: string;
  /** Why it is not run. */
  readonly notRun?: string;
}

const BLOCK = /(?:<!-- (recipe|not run)(?:: ([^>]*?))? -->\n+)?^```sh\n([\s\S]*?)^```$/gm;

/** All blocks of shell commands of a document, in order. Throws for one without a comment. */
export function recipesOf(path: string): Recipe[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(BLOCK)].map(({ index, 1: kind, 2: detail, 3: script = '' }) => {
    const source = `${path}:${text.slice(0, index).split('\n').length}`;
    if (kind === undefined) throw new Error(`${source}: a block of commands that nothing runs`);
    if (kind === 'not run') return { source, script, notRun: detail ?? '' };
    return { source, script, ...(detail !== undefined && { file: detail }) };
  });
}
