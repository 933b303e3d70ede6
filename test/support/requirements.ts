/** What a system test needs beyond Node. Where it is missing, its tests are skipped and one line says how to get it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs, each with the Debian package that installs it. */
const DEBIAN_PACKAGES = {
  '/usr/bin/python3': 'python3',
  '7z': 'p7zip-full',
  bsdtar: 'libarchive-tools',
  bwrap: 'bubblewrap',
  cc: 'gcc libc6-dev',
  chromium: 'chromium',
  cwebp: 'webp',
  'dbus-run-session': 'dbus',
  'dbus-send': 'dbus-bin',
  'docker-compose': 'docker-compose',
  'ebook-meta': 'calibre',
  fish: 'fish',
  fuse2fs: 'fuse2fs',
  fusefat: 'fusefat',
  'gallery-dl': 'gallery-dl',
  'gnome-keyring-daemon': 'gnome-keyring',
  jar: 'openjdk-17-jdk-headless',
  getfacl: 'acl',
  getfattr: 'attr',
  java: 'openjdk-17-jre-headless',
  jq: 'jq',
  kwalletd5: 'libkf5wallet-bin libqca-qt5-2-plugins',
  losetup: 'mount',
  'mkfs.exfat': 'exfatprogs',
  'mkfs.vfat': 'dosfstools',
  'mount.exfat-fuse': 'exfat-fuse',
  mutool: 'mupdf-tools',
  openssl: 'openssl',
  pdfimages: 'poppler-utils',
  pdfinfo: 'poppler-utils',
  python3: 'python3',
  qpdf: 'qpdf',
  'redis-server': 'redis-server',
  'secret-tool': 'libsecret-tools',
  systemctl: 'systemd',
  tmux: 'tmux',
  unzip: 'unzip',
  Xvfb: 'xvfb',
  xmllint: 'libxml2-utils',
  zip: 'zip',
  zsh: 'zsh',
} as const;

/** The modules of Debian's Python, each with its package. */
const PYTHON_PACKAGES = { dbus: 'python3-dbus', fuse: 'python3-fuse', gi: 'python3-gi' } as const;

type Program = keyof typeof DEBIAN_PACKAGES;

interface Requirements {
  readonly programs?: readonly Program[];
  readonly pythonModules?: readonly (keyof typeof PYTHON_PACKAGES)[];
  readonly linux?: boolean;
  readonly root?: boolean;
  /** A mount namespace for a user without rights; some containers forbid it. */
  readonly mountNamespace?: boolean;
  /** A monotonic clock of its own for a process. */
  readonly timeNamespace?: boolean;
  readonly fuse?: boolean;
  /** A file as a block device. */
  readonly loopDevice?: boolean;
}

/**
 * `describe` where everything is there, otherwise `describe.skip`. With TANKOBON_REQUIRE_ALL=1 a missing program is an
 * error; what the machine does not permit is skipped all the same.
 */
export function describeWith(title: string, needs: Requirements, tests: () => void): void {
  const programs = (needs.programs ?? []).filter((program) => !isInstalled(program));
  const modules = (needs.pythonModules ?? []).filter((module) => !hasPythonModule(module));
  const missing = [...installHints(programs, modules), ...permissionHints(needs)];
  if (missing.length === 0) {
    describe(title, tests);
    return;
  }
  const message = `skipped "${title}": ${missing.join('; ')}`;
  if (programs.length + modules.length > 0 && process.env['TANKOBON_REQUIRE_ALL'] === '1')
    throw new Error(message);
  process.stderr.write(`  ${message}\n`);
  describe.skip(title, tests);
}

function installHints(
  programs: readonly Program[],
  modules: readonly (keyof typeof PYTHON_PACKAGES)[],
): string[] {
  const names = [...programs, ...modules.map((module) => `Python's ${module}`)];
  if (names.length === 0) return [];
  const packages = [
    ...programs.map((program) => DEBIAN_PACKAGES[program]),
    ...modules.map((module) => PYTHON_PACKAGES[module]),
  ];
  return [`install ${names.join(', ')} with: sudo apt-get install ${packages.join(' ')}`];
}

function permissionHints(needs: Requirements): string[] {
  const hints: string[] = [];
  if (needs.linux && process.platform !== 'linux') hints.push('run the tests on Linux');
  if (needs.root && process.getuid?.() !== 0) hints.push('run the tests as root');
  if (needs.mountNamespace && !canUnshare('--user', '--map-root-user', '--mount'))
    hints.push('allow user namespaces (unshare --mount)');
  if (needs.timeNamespace && !canUnshare('--time', '--fork'))
    hints.push('allow time namespaces (unshare --time, as root)');
  if (needs.fuse && !existsSync('/dev/fuse')) hints.push('provide /dev/fuse');
  if (needs.loopDevice && !existsSync('/dev/loop-control')) hints.push('provide loop devices');
  return hints;
}

function isInstalled(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  if (program.startsWith('/')) return existsSync(program);
  return folders.some((folder) => existsSync(join(folder, program)));
}

function hasPythonModule(module: string): boolean {
  return spawnSync('/usr/bin/python3', ['-c', `import ${module}`]).status === 0;
}

function canUnshare(...namespaces: readonly string[]): boolean {
  return spawnSync('unshare', [...namespaces, 'true']).status === 0;
}
