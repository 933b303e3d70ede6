/** What a system test needs beyond Node. Where it is missing, its tests are skipped and one line says how to get it. */
import { describe } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs, each with the Debian package that installs it. */
const DEBIAN_PACKAGES = {
  bsdtar: 'libarchive-tools',
  cc: 'build-essential',
  'dbus-run-session': 'dbus',
  faketime: 'faketime',
  fish: 'fish',
  fuse2fs: 'fuse2fs',
  'gallery-dl': 'gallery-dl',
  'gnome-keyring-daemon': 'gnome-keyring',
  python3: 'python3',
  'secret-tool': 'libsecret-tools',
  tinyproxy: 'tinyproxy',
  unzip: 'unzip',
  xmllint: 'libxml2-utils',
  zsh: 'zsh',
} as const;

type Program = keyof typeof DEBIAN_PACKAGES;

interface Requirements {
  readonly programs?: readonly Program[];
  readonly root?: boolean;
  /** A mount namespace for a user without rights; some containers forbid it. */
  readonly mountNamespace?: boolean;
  readonly fuse?: boolean;
}

/** `describe` where everything is there, otherwise `describe.skip`; with TANKOBON_REQUIRE_ALL=1 it throws instead. */
export function describeWith(title: string, needs: Requirements, tests: () => void): void {
  const missing = missingRequirements(needs);
  if (missing.length === 0) {
    describe(title, tests);
    return;
  }
  const message = `skipped "${title}": ${missing.join('; ')}`;
  if (process.env['TANKOBON_REQUIRE_ALL'] === '1') throw new Error(message);
  process.stderr.write(`  ${message}\n`);
  describe.skip(title, tests);
}

function missingRequirements(needs: Requirements): string[] {
  const missing: string[] = [];
  const programs = (needs.programs ?? []).filter((program) => !isInstalled(program));
  if (programs.length > 0) {
    const packages = programs.map((program) => DEBIAN_PACKAGES[program]);
    missing.push(`install ${programs.join(', ')} with: sudo apt-get install ${packages.join(' ')}`);
  }
  if (needs.root && process.getuid?.() !== 0) missing.push('run the tests as root');
  if (needs.mountNamespace && !canMount()) missing.push('allow user namespaces (unshare --mount)');
  if (needs.fuse && !existsSync('/dev/fuse')) missing.push('provide /dev/fuse');
  return missing;
}

function isInstalled(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, program)));
}

function canMount(): boolean {
  const words = ['--user', '--map-root-user', '--mount', 'true'];
  return spawnSync('unshare', words).status === 0;
}
