/** What the measurements need beside Node, from Debian; installed where this user may. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** By the program that it brings. */
const PACKAGES: ReadonlyMap<string, string> = new Map([
  ['time', 'time'],
  ['curl', 'curl'],
  ['jq', 'jq'],
  ['zip', 'zip'],
  ['aria2c', 'aria2'],
  ['gallery-dl', 'gallery-dl'],
]);

/** Throws where something is missing and cannot be installed, naming it. */
export function ensureInstalled(): void {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const isThere = (program: string) => folders.some((folder) => existsSync(join(folder, program)));
  const missing = [...PACKAGES].filter(([program]) => !isThere(program)).map(([, name]) => name);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) {
    throw new Error(`These Debian packages are missing: ${missing.join(', ')}.`);
  }
  const install = ['install', '--yes', '--no-install-recommends', ...missing];
  execFileSync('apt-get', install, { stdio: 'inherit' });
}
