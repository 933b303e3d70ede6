/**
 * The recipes for containers, without an engine: the image is built from the Dockerfile and the packed file, and what
 * they ask of docker runs in it, read-only, with its user, volumes, environment and working directory.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { PRACTICE_ACCOUNT, PRACTICE_CLIENT } from '../../src/practice-server/accounts.js';
import { VERSION } from '../../src/core/version.js';
import { buildImage, runWords, type ContainerImage } from '../support/container-image.js';
import { startPackageRegistry, type PackageRegistry } from '../support/package-registry.js';
import { packProgram } from '../support/packed-program.js';
import { RecipeHome } from '../support/recipe-home.js';
import { recipesWith } from '../support/recipes.js';
import { describeWith } from '../support/requirements.js';

interface ComposeFile {
  readonly services: Readonly<
    Record<string, { readonly volumes?: readonly string[]; readonly command?: readonly string[] }>
  >;
}

const run = promisify(execFile);

let folder: string;
let registry: PackageRegistry;
let image: ContainerImage;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-image-'));
  registry = await startPackageRegistry(packProgram(folder), ['keytar']);
}, 60_000);
afterAll(async () => {
  await registry.stop();
  rmSync(folder, { recursive: true, force: true });
});

let home: RecipeHome;
beforeEach(async () => {
  home = await RecipeHome.create();
  mkdirSync(home.path('volumes'));
});
afterEach(() => home.stop());

/** The volumes and the command of a service, as docs/docker/compose.yaml has them. */
function composeService(name: string): { readonly mounts: string; readonly command: string } {
  const { services } = parse(readFileSync('docs/docker/compose.yaml', 'utf8'), {
    merge: true,
  }) as ComposeFile;
  const { volumes = [], command = [] } = services[name] ?? {};
  return { mounts: volumes.map((volume) => `-v ${volume}`).join(' '), command: command.join(' ') };
}

/** A program that does what the recipes ask of docker; a volume whose name has no slash stays. */
function docker(): string {
  const service = Object.entries(home.service.environment).filter(([name]) =>
    /_URL$|_REALM$/.test(name),
  );
  const variables = service.map((pair) => pair.join('='));
  const [once, sync] = [composeService('tankobon'), composeService('sync')];
  return `case $* in
      'compose run --rm tankobon '*) shift 4; exec "$0" run ${once.mounts} tankobon "$@" ;;
      'compose up --detach sync')
        "$0" run ${sync.mounts} tankobon ${sync.command} >/dev/null 2>&1 &
        echo $! >'${home.path('sync.pid')}'
        exit ;;
      'run '*) shift ;;
      *) exit 125 ;;
    esac
    input=/dev/null mounts=
    while [ "$1" != tankobon ]; do
      case $1 in
        -i) input=/dev/stdin ;;
        -v) shift; from=\${1%:*}
          case $from in */*) ;; *) from='${home.path('volumes')}'/$from; mkdir -p "$from" ;; esac
          mounts="$mounts --bind $from \${1##*:}" ;;
        *) exit 125 ;;
      esac
      shift
    done
    shift
    exec ${runWords(image, '$mounts', variables)} "$@" <$input`;
}

/** Ends the program in a container, as `docker stop` does: bwrap passes no signal on, and waits for it. */
async function stopContainer(pid: number): Promise<void> {
  const { stdout: program } = await run('pgrep', ['-P', String(pid)]);
  process.kill(Number(program));
  while (existsSync(`/proc/${pid}`)) await delay(50);
}

describeWith('the recipes for containers', { programs: ['bwrap'], mountNamespace: true }, () => {
  test('of docs/docker/README.md build the image, which has Node.js and no npm', async () => {
    const context = join(folder, 'docker');
    cpSync('docs/docker', context, { recursive: true });
    const env = { npm_config_registry: registry.url, npm_config_cache: join(folder, 'cache') };
    // npm may not be run in the recipe's folder, which is not a package.
    await run('npm', ['pack', 'tankobon', '--silent'], {
      cwd: context,
      env: { ...process.env, ...env },
    });
    image = await buildImage(context, folder, { ...env, npm_config_cache: '/tmp/cache' });
    const [words, mounts] = ['--version', ''];
    const { stdout } = await run('sh', ['-c', `${runWords(image, mounts, [])} ${words}`]);
    expect(stdout).toBe(`${VERSION}\n`);
    expect(image).toMatchObject({
      user: '1000:1000',
      entrypoint: ['tankobon'],
      command: ['--help'],
    });
    const has = (path: string) => existsSync(join(image.root, path));
    expect(['usr/local/bin/node', 'usr/local/lib/node_modules/npm', 'opt'].map(has)).toEqual([
      true,
      false,
      false,
    ]);
    const probe = `${runWords({ ...image, entrypoint: ['sh', '-c'] }, '', [])} ': >/usr/local/probe'`;
    await expect(run('sh', ['-c', probe])).rejects.toThrow(/Read-only/);
  }, 120_000);

  test('of docs/scripting.md log in once, into the volume, and download into this folder', async () => {
    home.addProgram('docker', docker());
    const [recipe, ...others] = recipesWith('containers', 'docs/scripting.md');
    const { username, password } = PRACTICE_ACCOUNT;
    const { id: clientId, secret: clientSecret } = PRACTICE_CLIENT;
    const login = JSON.stringify({ username, password, clientId, clientSecret });
    const ran = await home.run(recipe?.script ?? '', { LOGIN_JSON: login });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('Logged in as reader.');
    expect(
      home.files('volumes/tankobon', '.json').some((name) => name.includes('credentials')),
    ).toBe(true);
    expect(home.files('work', '.cbz').length).toBeGreaterThan(0);
    expect(await home.run('docker run -v tankobon:/state tankobon whoami')).toMatchObject({
      code: 0,
    });
    expect(home.service.violations()).toEqual([]);
    expect(others).toEqual([]);
  });

  test('of docs/docker/README.md download once, subscribe, and sync in the background', async () => {
    home.addProgram('docker', docker());
    const [recipe, ...others] = recipesWith('containers', 'docs/docker/README.md');
    expect(await home.run(recipe?.script ?? '')).toMatchObject({ code: 0 });
    const pid = Number(readFileSync(home.path('sync.pid'), 'utf8'));
    try {
      while (home.files('work/comics', '.cbz').length < 7) await delay(100);
    } finally {
      await stopContainer(pid);
    }
    expect(readFileSync(home.path('work/.env'), 'utf8')).toMatch(/^UID=\d+\nGID=\d+\n$/);
    expect(home.service.violations()).toEqual([]);
    expect(others).toEqual([]);
  });
});
