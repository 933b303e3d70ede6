/**
 * The recipes of the documentation that need no other program, as they stand there, by the packed package against the
 * practice server. Files of their own run those that need one.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPacked } from '../support/packed-program.js';
import { RecipeHome, type Ran } from '../support/recipe-home.js';
import { recipeDocuments, recipesOf, recipesWith } from '../support/recipes.js';
import { describeWith } from '../support/requirements.js';

/** Where each document's recipes leave archives, if they make any. */
const DOCUMENTS = [
  ['getting-started', 'work'],
  ['scripting', 'work'],
  ['names', 'Comics'],
  ['politeness', 'work'],
  ['readers', undefined],
  ['sync', 'Comics'],
  ['volumes', 'work'],
] as const;

let installed: string;
let packedProgram: string;
beforeAll(() => {
  installed = mkdtempSync(join(tmpdir(), 'tankobon-packed-'));
  packedProgram = installPacked(installed);
}, 60_000);
afterAll(() => {
  rmSync(installed, { recursive: true, force: true });
});

let home: RecipeHome;
beforeEach(async () => {
  home = await RecipeHome.create();
  home.addTankobon(packedProgram);
  // The one way in which the recipes use crontab.
  home.addProgram(
    'crontab',
    'case $1 in -l) cat "$HOME/crontab" ;; -) cat >"$HOME/crontab.new" && mv "$HOME/crontab.new" "$HOME/crontab" ;; esac',
  );
});
afterEach(() => home.stop());

/** Runs the recipes of a document in one home folder, in their order. */
async function runAll(document: string, isMeant = /(?:)/): Promise<void> {
  for (const { source, script, file, needs, notRun } of recipesOf(`docs/${document}.md`)) {
    if ((needs ?? notRun) !== undefined || !isMeant.test(script + (file ?? ''))) continue;
    if (file !== undefined) writeFileSync(home.path(file), script);
    else expect({ source, ...(await home.run(script)) }).toMatchObject({ source, code: 0 });
  }
}

describeWith('the recipes of the documentation', { programs: ['jq'] }, () => {
  test.each(DOCUMENTS)('of docs/%s.md run as they stand there', async (document, folder) => {
    await runAll(document);
    if (folder !== undefined) expect(home.files(folder, '.cbz').length).toBeGreaterThan(0);
    expect(home.service.violations()).toEqual([]);
  });

  test('no document has a block of commands that nothing runs', () => {
    const run = new Set<string>(DOCUMENTS.map(([name]) => `docs/${name}.md`));
    const others = recipeDocuments().filter((document) => !run.has(document));
    const recipes = others.flatMap(recipesOf);
    expect(recipes.filter(({ needs, notRun }) => (needs ?? notRun) === undefined)).toEqual([]);
    for (const document of run) {
      const here = recipesOf(document);
      expect(here.filter(({ needs, notRun }) => (needs ?? notRun) === undefined)).not.toEqual([]);
    }
  });

  describe('every night', () => {
    beforeEach(async () => {
      await runAll('scripting', /nightly|titles\.txt/);
    });

    test('the line for cron works with the PATH of the table, and logs what was new', async () => {
      rmSync(home.path('Comics'), { recursive: true });
      const table = readFileSync(home.path('crontab'), 'utf8').trim().split('\n');
      const [path = '', job = ''] = table;
      expect(table).toHaveLength(2);
      const command = /^30 3 \* \* \* {2}(.*)$/.exec(job)?.[1] ?? '';
      const PATH = path.replace(/^PATH=/, '');
      expect(PATH).toMatch(/:\/usr\/bin:\/bin$/);
      const night = () => home.run(command, { PATH });
      expect(await night()).toEqual({ code: 0, stdout: '', stderr: '' });
      const saved = home.files('Comics', '.cbz');
      expect(saved.length).toBeGreaterThan(0);
      const log = () => readFileSync(home.path('nightly.log'), 'utf8').trimEnd().split('\n');
      const first = log();
      expect(first.filter((line) => line.endsWith('.cbz'))).toHaveLength(saved.length);
      expect(first.at(-1)).toBe('Up to date.');
      expect(await night()).toMatchObject({ code: 0 });
      expect(log()).toHaveLength(first.length + 2);
      expect(home.files('Comics', '.cbz')).toEqual(saved);
    });
  });
});

describe('the schedulers of docs/sync.md', () => {
  const text = readFileSync('docs/sync.md', 'utf8');
  const blocks = (language: string) =>
    [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
      ([, block = '']) => block,
    );
  beforeEach(async () => {
    const title = 'title:3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101';
    const added = await home.run(`tankobon sync add ${title} --language en -o ~/Comics`);
    expect(added).toMatchObject({ code: 0 });
  });

  test('the line for cron syncs', async () => {
    const [line = '', ...others] = blocks('cron');
    const [, command = ''] = /^17 \*\/6 \* \* \* (.*)$/.exec(line.trim()) ?? [];
    // What a run says only once is printed with --quiet too.
    const notices = expect.stringMatching(/^(?:skipped: .+\n)+$/);
    expect(await home.run(command)).toMatchObject({ code: 0, stderr: notices });
    expect(await home.run(command)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(home.files('Comics', '.cbz').length).toBeGreaterThan(0);
    expect(others).toEqual([]);
  });

  describeWith('with systemd', { programs: ['systemctl'], mountNamespace: true }, () => {
    test('the units are valid, the timer waits for its hours, and the service syncs', async () => {
      const [recipe, ...others] = recipesWith('systemd');
      const { code, stdout, stderr } = await runWithSystemd(`
        ${recipe?.script ?? ''}
        systemd-analyze --user verify ~/.config/systemd/user/tankobon.*
        systemctl --user show tankobon.timer --property ActiveState,UnitFileState,TimersCalendar
        systemctl --user start tankobon.service
        systemctl --user show tankobon.service --property Result,ExecMainStatus`);
      expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
      expect(stderr).not.toMatch(/tankobon\.(service|timer):/);
      expect(stdout).toMatch(/^UnitFileState=enabled$/m);
      expect(stdout).toMatch(/^ActiveState=active$/m);
      expect(stdout).toMatch(/OnCalendar=\*-\*-\* 00\/6:17:00/);
      expect(stdout).toMatch(/^Result=success$/m);
      expect(home.files('Comics', '.cbz').length).toBeGreaterThan(0);
      expect(others).toEqual([]);
    });
  });
});

/** Runs commands beside a systemd of the owner's own, in namespaces without the one of this machine. */
function runWithSystemd(script: string): Promise<Ran> {
  const inside = `
    mount -t tmpfs none /run
    mkdir -p /run/systemd/system
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    /lib/systemd/systemd --user >"$HOME/systemd.log" 2>&1 &
    until systemctl --user show --property Version >/dev/null 2>&1; do sleep 0.1; done
    ${script}
    systemctl --user exit
    wait`;
  const words = 'unshare --user --map-root-user --mount --cgroup sh -e -c "$INSIDE"';
  return home.run(words, { INSIDE: inside, XDG_RUNTIME_DIR: home.path('runtime') });
}
