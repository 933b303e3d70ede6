/** What a user's machine gets: the size of a production install, and of how many packages it consists. */
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { record, type Measurement } from './records.js';
import { rounded } from './statistics.js';

export const install: Measurement = {
  name: 'install',
  about: 'size and number of packages of a production install (needs the npm registry)',
  run() {
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-install-'));
    try {
      const npm = (cwd: string, ...words: readonly string[]): string =>
        execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      const packed = npm('.', 'pack', '--ignore-scripts', '--silent', '--pack-destination', folder);
      writeFileSync(join(folder, 'package.json'), '{ "private": true }');
      npm(folder, 'install', '--omit=dev', '--ignore-scripts', resolve(folder, packed.trim()));
      const packages = packagesIn(join(folder, 'node_modules'));
      const size = (of: readonly string[]): number =>
        rounded(of.reduce((sum, path) => sum + bytesIn(path), 0) / 1e6);
      const largest = packages
        .map((path) => ({ path, bytes: bytesIn(path) }))
        .sort((a, b) => b.bytes - a.bytes)
        .slice(0, 8);
      record('install', {
        what: 'npm install --omit=dev of the packed package into an empty folder',
        rows: [
          { of: 'all', packages: packages.length, megabytes: size([join(folder, 'node_modules')]) },
          ...largest.map(({ path, bytes }) => ({
            of: path.slice(path.lastIndexOf('node_modules') + 'node_modules/'.length),
            packages: 1,
            megabytes: rounded(bytes / 1e6),
          })),
        ],
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return Promise.resolve();
  },
};

/** The folders of all packages below, nested ones too. */
function packagesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return entries.flatMap(({ name }) => {
    const path = join(folder, name);
    if (name === '.bin') return [];
    if (name.startsWith('@') && basename(folder) === 'node_modules') return packagesIn(path);
    const nested = readdirSync(path).includes('node_modules')
      ? packagesIn(join(path, 'node_modules'))
      : [];
    return [path, ...nested];
  });
}

function bytesIn(path: string): number {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}
