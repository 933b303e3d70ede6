/** What a user's machine gets: the size of a production install, of how many packages it consists, and how long npx takes. */
import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { record, type Measurement } from './records.js';
import { median, medianRatio, rounded } from './statistics.js';

export const install: Measurement = {
  name: 'install',
  about: 'size and number of packages of a production install (needs the npm registry)',
  run() {
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-install-'));
    try {
      const npm = (cwd: string, ...words: readonly string[]): string =>
        execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      // What `prepack` adds to the build.
      execFileSync(process.execPath, ['scripts/bill-of-materials.js'], { stdio: 'ignore' });
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
          ...coldNpx(resolve(folder, packed.trim())),
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

const NPX_RUNS = 3;

/** `npx ./tankobon.tgz --version` with an empty cache; in turn with another build that is named in the environment. */
function coldNpx(tarball: string): readonly Record<string, string | number>[] {
  const baseline = process.env['TANKOBON_BASELINE_TARBALL'];
  const tarballs = baseline === undefined ? [tarball] : [tarball, resolve(baseline)];
  const times = tarballs.map((): number[] => []);
  for (let run = 0; run < NPX_RUNS; run += 1) {
    for (const [index, file] of tarballs.entries()) {
      const cache = mkdtempSync(join(tmpdir(), 'tankobon-npx-'));
      cpSync(file, join(cache, 'tankobon.tgz'));
      const startedMs = performance.now();
      execFileSync('npx', ['--yes', './tankobon.tgz', '--version'], {
        cwd: cache,
        env: { ...process.env, npm_config_cache: cache },
        stdio: 'ignore',
      });
      times[index]?.push(performance.now() - startedMs);
      rmSync(cache, { recursive: true, force: true });
    }
  }
  const [own = [], before = []] = times;
  return times.map((ms, index) => ({
    of: index === 0 ? 'npx, empty cache' : 'npx, empty cache, baseline',
    medianMs: Math.round(median(ms)),
    ...(index === 0 && before.length > 0 && { timesBaseline: rounded(medianRatio(own, before)) }),
  }));
}

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
