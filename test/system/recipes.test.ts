/** Every recipe of the documentation, as it stands there, by the packed package against the practice server. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { installPacked } from '../support/packed-program.js';
import { recipesOf } from '../support/recipes.js';
import { describeWith } from '../support/requirements.js';

/** Where each document's recipes leave archives, if they make any. */
const DOCUMENTS = [
  ['getting-started', 'work'],
  ['scripting', 'work'],
  ['names', undefined],
  ['politeness', 'work'],
  ['readers', undefined],
  ['sync', 'Comics'],
  ['volumes', 'work'],
] as const;
/** Not a folder of any PATH by default: as where nvm or npm's own prefix puts a command. */
const PROGRAMS = 'programs';

let installed: string;
let packedProgram: string;
beforeAll(() => {
  installed = mkdtempSync(join(tmpdir(), 'tankobon-packed-'));
  packedProgram = installPacked(installed);
}, 60_000);
afterAll(() => {
  rmSync(installed, { recursive: true, force: true });
});

let service: PracticeService;
let home: string;
beforeEach(async () => {
  service = await startPracticeService();
  home = mkdtempSync(join(tmpdir(), 'tankobon-recipes-'));
  mkdirSync(join(home, PROGRAMS));
  mkdirSync(join(home, 'work'));
  // The command of the package, and the one way in which the recipes use npx and crontab.
  program('tankobon', `exec '${process.execPath}' '${packedProgram}' "$@"`);
  program('npx', 'exec "$@"');
  program(
    'crontab',
    'case $1 in -l) cat "$HOME/crontab" ;; -) cat >"$HOME/crontab.new" && mv "$HOME/crontab.new" "$HOME/crontab" ;; esac',
  );
});
afterEach(async () => {
  await service.stop();
  rmSync(home, { recursive: true, force: true });
});

function program(name: string, script: string): void {
  writeFileSync(join(home, PROGRAMS, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(home, PROGRAMS, name), 0o755);
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs commands as a shell of the user does, or with `PATH` alone. */
function shell(
  script: string,
  PATH = `${join(home, PROGRAMS)}:${process.env['PATH'] ?? ''}`,
): Promise<Ran> {
  const env = { ...service.environment, HOME: home, TANKOBON_HOME: join(home, 'state'), PATH };
  return new Promise((done) => {
    const child = execFile(
      'sh',
      ['-e', '-c', script],
      { cwd: join(home, 'work'), env },
      (_error, stdout, stderr) => {
        done({ code: child.exitCode, stdout, stderr });
      },
    );
  });
}

/** Runs the recipes of a document in one home folder, in their order. */
async function runAll(document: string, isMeant = /(?:)/): Promise<void> {
  for (const { source, script, file, notRun } of recipesOf(`docs/${document}.md`)) {
    if (notRun !== undefined || !isMeant.test(script + (file ?? ''))) continue;
    if (file !== undefined) writeFileSync(join(home, file), script);
    else expect({ source, ...(await shell(script)) }).toMatchObject({ source, code: 0 });
  }
}

const archives = (folder: string) =>
  readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.cbz'),
  );

describeWith('the recipes of the documentation', { programs: ['jq'] }, () => {
  test.each(DOCUMENTS)(
    'of docs/%s.md run as they stand there',
    async (document, folder) => {
      expect(
        recipesOf(`docs/${document}.md`).filter(({ notRun }) => notRun === undefined),
      ).not.toEqual([]);
      await runAll(document);
      if (folder !== undefined) expect(archives(folder).length).toBeGreaterThan(0);
      expect(service.violations()).toEqual([]);
    },
    90_000,
  );

  test('no document has a block of commands that nothing runs', () => {
    const documents = readdirSync('docs', { recursive: true, encoding: 'utf8' });
    const all = documents.filter((name) => name.endsWith('.md') && name !== 'commands.md');
    expect(() => all.map((name) => recipesOf(`docs/${name}`))).not.toThrow();
    const run = new Set<string>(DOCUMENTS.map(([name]) => `${name}.md`));
    const recipes = all.flatMap((name) =>
      recipesOf(`docs/${name}`).map((one) => ({ name, ...one })),
    );
    expect(recipes.filter(({ name, notRun }) => notRun === undefined && !run.has(name))).toEqual(
      [],
    );
  });

  describe('every night', () => {
    beforeEach(async () => {
      await runAll('scripting', /nightly|titles\.txt/);
    }, 90_000);

    test('the line for cron works with the PATH of the table, and logs what was new', async () => {
      rmSync(join(home, 'Comics'), { recursive: true });
      const table = readFileSync(join(home, 'crontab'), 'utf8').trim().split('\n');
      const [path = '', job = ''] = table;
      expect(table).toHaveLength(2);
      const command = /^30 3 \* \* \* {2}(.*)$/.exec(job)?.[1] ?? '';
      const PATH = path.replace(/^PATH=/, '').replace(':/usr/bin:/bin', '');
      expect(PATH).toContain(join(home, PROGRAMS));
      const night = () => shell(command, `${PATH}:/usr/bin:/bin`);
      expect(await night()).toEqual({ code: 0, stdout: '', stderr: '' });
      const saved = archives('Comics');
      expect(saved.length).toBeGreaterThan(0);
      const log = () => readFileSync(join(home, 'nightly.log'), 'utf8').trimEnd().split('\n');
      const first = log();
      expect(first.filter((line) => line.endsWith('.cbz'))).toHaveLength(saved.length);
      expect(first.at(-1)).toBe('Up to date.');
      expect(await night()).toMatchObject({ code: 0 });
      expect(log()).toHaveLength(first.length + 2);
      expect(archives('Comics')).toEqual(saved);
    });

    test('the units for systemd are valid, and the service runs with its own PATH', async () => {
      const units = join(home, '.config/systemd/user');
      const text = readFileSync(join(units, 'tankobon.service'), 'utf8').replaceAll('%h', home);
      const PATH = /^Environment="PATH=(.*)"$/m.exec(text)?.[1] ?? '';
      const command = /^ExecStart=(.*)$/m.exec(text)?.[1] ?? '';
      expect(await shell(command, PATH)).toMatchObject({ code: 0, stderr: '' });
      expect(existsSync(join(units, 'tankobon.timer'))).toBe(true);
      if (!existsSync('/usr/bin/systemd-analyze')) return;
      const verified = await shell(
        `systemd-analyze --user verify ${units}/tankobon.service ${units}/tankobon.timer`,
      );
      expect(verified.stderr).not.toMatch(/tankobon\.(service|timer)/);
    });
  });
});
