/** The program for other users: the checkout may be below a folder that is this user's alone. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DIST } from './build-folders.js';

/** The packages that are not bundled. */
const PACKAGES = ['keytar', '@napi-rs'];

export interface ReadableProgram {
  /** To be removed. */
  readonly folder: string;
  /** The file that node runs. */
  readonly program: string;
}

/** Copies what `npm run build` made, and the packages that it loads, to a new folder that all users can read. */
export function copyProgram(): ReadableProgram {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-program-'));
  cpSync(DIST, join(folder, 'dist'), { recursive: true });
  cpSync(resolve(DIST, '../package.json'), join(folder, 'package.json'));
  for (const name of PACKAGES) {
    const from = resolve('node_modules', name);
    if (existsSync(from)) cpSync(from, join(folder, 'node_modules', name), { recursive: true });
  }
  execFileSync('chmod', ['-R', 'a+rX', folder]);
  return { folder, program: join(folder, 'dist/program/main.js') };
}
