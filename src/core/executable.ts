/**
 * The single executable (scripts/executable.js): Node.js with the program, and the files of the package as assets, by
 * their names. Apart from its other parts, since every start loads it.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { getAsset, isSea } from 'node:sea';

export const isExecutable = isSea();

/** Followed by the name of a program for a child process (child-program.ts) and its arguments. */
export const CHILD_PROGRAM_OPTION = '--child-program';

/** @param url the file beside the module that asks, which is an asset in the executable */
export function readPackageFile(url: URL): Buffer {
  return isExecutable ? assetOf(basename(url.pathname)) : readFileSync(url);
}

export function assetOf(name: string): Buffer {
  return Buffer.from(getAsset(name));
}

let extract: ((name: string) => string) | undefined;

/** Called once by the entry point, with what writes an asset to a file (extracted-file.ts) and returns its path. */
export function extractWith(write: (name: string) => string): void {
  extract = write;
}

/** The path of a file with the asset's content: the system loads addons from files only, and editors read schemas. */
export function extractedFile(name: string): string {
  if (!extract) throw new Error('The program is not an executable.');
  return extract(name);
}
