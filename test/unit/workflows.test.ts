/** The workflows: what they use is fixed, and a release needs all that CI runs. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly needs?: string;
  readonly uses?: string;
  readonly steps?: readonly Step[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = '.github/workflows';
const files = readdirSync(FOLDER);
const source = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const workflow = (file: string) => parse(source(file)) as Workflow;
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string;
  scripts: Readonly<Record<string, string>>;
};

test.each(files)(
  '%s pins its actions by digest, and may only read unless a job says more',
  (file) => {
    const used = source(file).match(/uses: .*/g) ?? [];
    const fixed = /^uses: (\.\/|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)/;
    expect(used.filter((line) => !fixed.test(line))).toEqual([]);
    expect(workflow(file).permissions).toEqual({ contents: 'read' });
  },
);

test('the npm scripts that the workflows run exist', () => {
  const commands = files.flatMap((file) =>
    Object.values(workflow(file).jobs).flatMap(({ steps = [] }) =>
      steps.flatMap(({ run = [] }) => run),
    ),
  );
  const scripts = commands.flatMap((run) =>
    [...run.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name),
  );
  expect(new Set(scripts)).toEqual(new Set(['audit', 'executable', 'test:slow']));
  expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
});

test('CI runs on three systems with each supported Node.js', () => {
  expect(workflow('ci.yml').jobs['test']?.strategy?.matrix).toEqual({
    os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: [20, 22, 24, 26],
  });
});

test('a release needs its version, all of CI with the check of the tarball, and then publishes', () => {
  const { version, ci, package: published, image } = workflow('release.yml').jobs;
  expect(version?.steps?.at(-1)?.run).toBe('node scripts/prepare-release.js');
  expect(ci).toEqual({ needs: 'version', uses: './.github/workflows/ci.yml' });
  expect([published?.needs, image?.needs]).toEqual(['ci', 'package']);
  expect(workflow('ci.yml').jobs['everything']?.steps?.at(-1)?.run).toBe('.ci/run');
  expect(readFileSync('.ci/run', 'utf8')).toContain('.ci/pack-check');
});

test('a release has the executable of each platform that CI made, with its digest and attested', () => {
  const { executable } = workflow('ci.yml').jobs;
  expect(executable?.strategy?.matrix['include']).toEqual([
    { os: 'ubuntu-latest', platform: 'linux-x64' },
    { os: 'ubuntu-24.04-arm', platform: 'linux-arm64' },
    { os: 'macos-latest', platform: 'darwin-arm64' },
    { os: 'windows-latest', platform: 'win-x64' },
  ]);
  const steps = workflow('release.yml').jobs['package']?.steps ?? [];
  const places = ['download-artifact', 'SHA256SUMS', 'attest-build-provenance', 'gh release'].map(
    (text) => steps.findIndex(({ uses = '', run = '' }) => `${uses} ${run}`.includes(text)),
  );
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
  const [, , , created] = places.map((place) => steps[place]?.run);
  expect(created).toContain('tankobon-*.tar.gz SHA256SUMS');
});

describe('scripts/prepare-release.js', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-release-'));
    writeFileSync(join(folder, 'package.json'), readFileSync('package.json'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const prepare = (tag: string) =>
    spawnSync(process.execPath, [resolve('scripts/prepare-release.js')], {
      cwd: folder,
      env: {
        GITHUB_REF_NAME: tag,
        GITHUB_REPOSITORY: 'someone/tankobon',
        GITHUB_SERVER_URL: 'https://git.example',
      },
      encoding: 'utf8',
    });
  const text = () => readFileSync(join(folder, 'package.json'), 'utf8');

  test('refuses a tag that is not the version, and changes nothing', () => {
    const before = text();
    const { status, stderr } = prepare('v9.9.9');
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('v9.9.9') });
    expect(text()).toBe(before);
  });

  test('writes the address of the repository that the workflow runs in', () => {
    expect(prepare(`v${manifest.version}`)).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(text())).toEqual({
      ...manifest,
      homepage: 'https://git.example/someone/tankobon#readme',
      repository: { type: 'git', url: 'git+https://git.example/someone/tankobon.git' },
      bugs: { url: 'https://git.example/someone/tankobon/issues' },
    });
  });
});
