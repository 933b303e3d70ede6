/** What users download and store: the package with its dependency for this machine. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MAX_TARBALL_BYTES = 2_000_000;
const MAX_INSTALLED_BYTES = 10_000_000;

interface Packed {
  readonly size: number;
  readonly unpackedSize: number;
}

function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

test('the tarball has at most 2 MB, and the installed package 10 MB', () => {
  const args = ['pack', '--dry-run', '--ignore-scripts', '--json'];
  const [packed] = JSON.parse(
    execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  ) as readonly Packed[];
  expect(packed?.size).toBeGreaterThan(500_000);
  expect(packed?.size).toBeLessThan(MAX_TARBALL_BYTES);
  // The keychain's library, with its binary for this machine.
  const keychain = ['node_modules/keytar', 'node_modules/@napi-rs'].map(folderBytes);
  const bytes = keychain.reduce((sum, each) => sum + each, packed?.unpackedSize ?? 0);
  expect(bytes).toBeLessThan(MAX_INSTALLED_BYTES);
});
