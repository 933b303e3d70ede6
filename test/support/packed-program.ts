/** The program from the package as npm packs it, beside its only dependency: nothing of the checkout is in reach. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Packs the built package into `folder`, and returns the file. */
export function packProgram(folder: string): string {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [packed] = JSON.parse(
    execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as readonly { readonly filename: string }[];
  return join(folder, packed?.filename ?? '');
}

/** Installs the built package below `folder`, and returns the file that node runs. Needs tar. */
export function installPacked(folder: string): string {
  const tarball = packProgram(folder);
  const modules = join(folder, 'node_modules');
  const own = join(modules, 'tankobon');
  mkdirSync(own, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', own, '--strip-components=1']);
  for (const name of ['keytar', '@napi-rs'])
    cpSync(join('node_modules', name), join(modules, name), { recursive: true });
  return join(own, 'bin/tankobon.js');
}
