/**
 * The commands of the README, typed line by line at a terminal with the packed package. The service is the practice
 * service, npm installs the packed files, and Komga listens at another port.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { readPages, writeArchive } from '../support/archive.js';
import {
  KEYCHAIN_PROGRAMS,
  startSecretService,
  type SecretService,
} from '../support/auth/harness.js';
import { tankobon } from '../support/command.js';
import {
  KOMGA_KEY,
  KOMGA_LIBRARY,
  startMediaServers,
  type MediaServers,
} from '../support/media-servers.js';
import { installPacked } from '../support/packed-program.js';
import { recipesOf } from '../support/recipes.js';
import { describeWith } from '../support/requirements.js';
import { TmuxTerminal, type Shell } from '../support/tmux.js';

const KOMGA = 'http://localhost:25600';

/** What a person types at the questions of a command, and at the end of one that runs on. */
const ANSWERS: readonly {
  readonly command: RegExp;
  readonly keys: readonly (readonly [awaits: RegExp, types: string])[];
}[] = [
  {
    command: /^tankobon search lighthouse$/,
    keys: [
      [/Which title\?/, 'Enter'],
      [/Language\?/, 'Enter'],
      [/Download\?/, 'Enter'],
    ],
  },
  { command: /^tankobon login --for komga$/, keys: [[/^\? Komga API key/m, KOMGA_KEY]] },
  { command: /^tankobon sync --every/, keys: [[/^Next run: /m, 'C-c']] },
];

let folder: string;
let packed: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-readme-'));
  packed = installPacked(folder);
}, 60_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let home: string;
let service: PracticeService;
let servers: MediaServers;
let keychain: SecretService;
let terminal: TmuxTerminal | undefined;
beforeEach(async () => {
  service = await startPracticeService();
  servers = await startMediaServers();
  home = mkdtempSync(join(folder, 'home-'));
  keychain = await startSecretService(home);
  mkdirSync(join(home, 'programs'));
  mkdirSync(join(home, 'work'));
  const sharp = join(folder, 'node_modules/sharp');
  rmSync(sharp, { force: true });
  writeProgram(join(home, 'packed'), `exec '${process.execPath}' '${packed}' "$@"`);
  writeProgram(
    join(home, 'programs/npm'),
    `case "$*" in
      'install --global tankobon') mv '${join(home, 'packed')}' '${join(home, 'programs/tankobon')}' ;;
      'install --global sharp') ln -s '${resolve('node_modules/sharp')}' '${sharp}' ;;
      *) exit 1 ;;
    esac`,
  );
});
afterEach(async () => {
  await terminal?.stop();
  terminal = undefined;
  await Promise.all([service.stop(), servers.stop(), keychain.stop()]);
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
});

function writeProgram(file: string, script: string): void {
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

const filesIn = (path: string, end: string) =>
  readdirSync(join(home, path), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith(end),
  );

/** A chapter in ~/manga, named and packed as by another program. */
async function saveForeignChapter(): Promise<void> {
  const words = ['download', '5f2d0c1e-7a44-4c39-9d10-0b6f6f3a1c01', '-o', join(home, 'other')];
  // One ledger for all, since the service counts the requests of all.
  const env = { ...service.environment, TANKOBON_HOME: join(home, 'state') };
  const { stdout } = await tankobon(words, { env });
  const file = join(home, 'manga/The Lighthouse Cat of Minami Island/Chapter 1.cbz');
  mkdirSync(dirname(file), { recursive: true });
  const pages = await readPages(stdout.trim());
  const entries = pages.map((bytes, index) => [`${String(index + 1)}.png`, bytes]);
  await writeArchive(file, Object.fromEntries(entries) as Record<string, Buffer>);
}

/** Types a command, answers what it asks, and resolves with its exit code. */
async function runLine(line: string, shell: Shell, typeAt: TmuxTerminal): Promise<number> {
  const { keys = [] } = ANSWERS.find(({ command }) => command.test(line)) ?? {};
  await typeAt.typeAlone(line.replace(KOMGA, servers.url));
  for (const [awaits, types] of keys) {
    await typeAt.until((screen) => awaits.test(screen));
    if (types === KOMGA_KEY) await typeAt.type(types);
    else await typeAt.press(types);
  }
  await typeAt.ended();
  await typeAt.typeAlone(`echo code: ${shell === 'fish' ? '$status' : '$?'}`);
  return Number(/^code: (\d+)$/m.exec(await typeAt.ended())?.[1]);
}

describeWith(
  'the README, typed by a new user',
  { programs: ['tmux', 'zsh', 'fish', ...KEYCHAIN_PROGRAMS] },
  () => {
    test.each(['bash', 'zsh', 'fish'] as const)(
      'each command works in %s, with the questions that it asks',
      async (shell) => {
        await saveForeignChapter();
        const at = await TmuxTerminal.start({
          shell,
          columns: 80,
          cwd: join(home, 'work'),
          env: {
            ...service.environment,
            TANKOBON_HOME: join(home, 'state'),
            DBUS_SESSION_BUS_ADDRESS: keychain.env['DBUS_SESSION_BUS_ADDRESS'] ?? '',
            HOME: home,
            PATH: `${join(home, 'programs')}:${process.env['PATH'] ?? ''}`,
          },
        });
        terminal = at;
        const lines = recipesOf('README.md').flatMap(({ script }) => script.trim().split('\n'));
        expect(lines.length).toBeGreaterThan(10);
        for (const line of lines) {
          const code = await runLine(line, shell, at);
          expect({ line, code }).toEqual({ line, code: 0 });
        }
        expect(filesIn('work', '.cbz').length).toBeGreaterThan(0);
        expect(filesIn('Comics', '.cbz').length).toBeGreaterThan(0);
        expect(filesIn('work', '.kepub.epub')).toHaveLength(2);
        const scans = servers.received.filter(({ path }) => path.includes(KOMGA_LIBRARY));
        expect(scans.length).toBeGreaterThan(0);
        expect(service.violations()).toEqual([]);
      },
      240_000,
    );
  },
);
