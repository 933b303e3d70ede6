/** The recipes of the documentation: fenced blocks of shell commands below a comment that says how they are run. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Recipe {
  /** Such as `docs/scripting.md:15`. */
  readonly source: string;
  readonly script: string;
  /** The recipe is a file of this name in the home folder, not commands to run. */
  readonly file?: string;
  /** What it needs beside the program; a test of its own runs it. */
  readonly needs?: Need;
  /** Why it is not run. */
  readonly notRun?: string;
}

export const NEEDS = ['containers', 'keychain', 'npm', 'redis', 'systemd', 'terminal'] as const;
export type Need = (typeof NEEDS)[number];

const BLOCK =
  /(?:<!-- (recipe|not run)(?: (?:with|at a) (\w+))?(?:: ([^>]*?))? -->\n+)?^( *)```sh\n([\s\S]*?)^\4```$/gm;

/** All blocks of shell commands of a document, in order. Throws for one without a comment. */
export function recipesOf(path: string): Recipe[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(BLOCK)].map(({ index, ...groups }) => {
    const { 1: kind, 2: need, 3: detail, 4: indent = '', 5: lines = '' } = groups;
    const script = lines.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const source = `${path}:${text.slice(0, index).split('\n').length}`;
    if (kind === undefined) throw new Error(`${source}: a block of commands that nothing runs`);
    if (kind === 'not run') return { source, script, notRun: detail ?? '' };
    const needs = NEEDS.find((known) => known === need);
    if (need !== undefined && !needs) throw new Error(`${source}: no test runs this: ${need}`);
    return {
      source,
      script,
      ...(needs && { needs }),
      ...(detail !== undefined && { file: detail }),
    };
  });
}

/** The documents with recipes; the one of the commands is generated. */
export function recipeDocuments(): string[] {
  const names = readdirSync('docs', { recursive: true, encoding: 'utf8' });
  const documents = names.filter((name) => name.endsWith('.md') && name !== 'commands.md').sort();
  return documents.map((name) => `docs/${name}`);
}

/** The recipes that need this, of one document or of all. */
export function recipesWith(need: Need, document?: string): Recipe[] {
  const documents = document === undefined ? recipeDocuments() : [document];
  return documents.flatMap(recipesOf).filter(({ needs }) => needs === need);
}
