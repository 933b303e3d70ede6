/** The recipes for a ledger on a server: with a real Redis, which a name of the recipes means. */
import { rmSync, writeFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { KEYCHAIN_PROGRAMS, startSecretService } from '../support/auth/harness.js';
import { installPacked } from '../support/packed-program.js';
import { RecipeHome } from '../support/recipe-home.js';
import { recipesWith } from '../support/recipes.js';
import { startRedis, type RedisProcess } from '../support/redis-process.js';
import { describeWith } from '../support/requirements.js';
import { TmuxTerminal } from '../support/tmux.js';

const DOCUMENT = 'docs/ledger.md';
const TITLE = 'title:3d1c8f52-6a0b-4e7e-9b1d-0a4c5e2f7101';
const LEDGER = 'redis://nas.local:6379/0';
const PORT = 6_379;

let folder: string;
let packedProgram: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-packed-'));
  packedProgram = installPacked(folder);
}, 60_000);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** An address of its own, since the port is the one of the recipes. */
const host = `127.79.${process.pid % 251}.${(process.ppid % 250) + 1}`;
const nasLocal = {
  NODE_OPTIONS: `--require=${resolve('test/support/nas-local.cjs')}`,
  NAS_ADDRESS: host,
};

let home: RecipeHome;
let redis: RedisProcess;
beforeEach(async () => {
  home = await RecipeHome.create();
  home.addTankobon(packedProgram);
});
afterEach(async () => {
  await redis.stop();
  await home.stop();
});

const succeed = async (script: string): Promise<string> => {
  const ran = await home.run(script, nasLocal);
  expect({ script, ...ran }).toMatchObject({ script, code: 0 });
  return ran.stdout;
};

describeWith('the recipes for a ledger on a server', { programs: ['redis-server'] }, () => {
  test('count the requests there, and divide the chapters', async () => {
    redis = await startRedis([], 'redis-server', { host, port: PORT });
    // Nothing was sent by this address before, which a new server cannot know.
    const ledger = `TANKOBON_LEDGER=${LEDGER}`;
    await succeed(`${ledger} tankobon limits --reset --yes`);
    await succeed(`${ledger} tankobon sync add ${TITLE} --language en -o ~/Comics`);
    const plan = `tankobon download ${TITLE} --language en --dry-run --json > plan.jsonl`;
    await succeed(`${ledger} ${plan}`);
    const planned = readFileSync(home.path('work/plan.jsonl'), 'utf8').matchAll(
      /"planned".*?"chapter":"([^"]+)"/g,
    );
    const chapters = [...planned].map(([, id = '']) => id);
    writeFileSync(home.path('work/chapters.txt'), chapters.slice(0, 3).join('\n'));
    const recipes = recipesWith('redis', DOCUMENT);
    expect(recipes).toHaveLength(2);
    const printed = await succeed(recipes.map(({ script }) => script).join('\n'));
    expect(printed).toMatch(/3 of 40 in 1 min/);
    expect(home.files('work', '.cbz')).toHaveLength(3);
    expect(home.files('Comics', '.cbz').length).toBeGreaterThan(3);
    expect(home.service.violations()).toEqual([]);
    await redis.kill();
    const env = { ...nasLocal, TANKOBON_LEDGER: LEDGER, TANKOBON_MAX_OUTAGE: '0' };
    expect(await home.run('tankobon limits', env)).toMatchObject({ code: 8 });
  }, 120_000);
});

/** The configuration of the server that the document shows. */
function userList(): string {
  const [, text = ''] =
    /^# users\.acl.*?\n(user[\s\S]*?)^```$/m.exec(readFileSync(DOCUMENT, 'utf8')) ?? [];
  return text;
}

const needed = { programs: ['redis-server', 'tmux', ...KEYCHAIN_PROGRAMS] } as const;
describeWith('the recipe for the password of the server', needed, () => {
  test('asks for it at a terminal, and tankobon logs in with it as the user of the list', async () => {
    const list = home.path('users.acl');
    writeFileSync(list, userList());
    redis = await startRedis(['--aclfile', list], 'redis-server', { host, port: PORT });
    const keychain = await startSecretService(home.folder);
    const { DBUS_SESSION_BUS_ADDRESS = '' } = keychain.env;
    const terminal = await TmuxTerminal.start({
      columns: 120,
      cwd: home.path('work'),
      env: { ...home.env, ...nasLocal, DBUS_SESSION_BUS_ADDRESS },
    });
    try {
      const [recipe, ...others] = recipesWith('keychain', DOCUMENT);
      await terminal.typeAlone(recipe?.script.trim() ?? '');
      await terminal.until((screen) => /^Password: *$/m.test(screen));
      await terminal.type('the-password');
      await terminal.ended();
      await terminal.typeAlone('TANKOBON_LEDGER=redis://tankobon@nas.local:6379/0 tankobon limits');
      const screen = await terminal.ended();
      expect(screen).not.toMatch(/error|the-password/);
      // Without a login the server refuses it.
      await terminal.typeAlone(`TANKOBON_LEDGER=${LEDGER} tankobon limits`);
      expect(await terminal.ended()).toMatch(/^error: .*nas\.local/m);
      expect(others).toEqual([]);
    } finally {
      await terminal.stop();
      await keychain.stop();
    }
  }, 120_000);
});
