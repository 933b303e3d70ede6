/**
 * Builds and runs the image of a Dockerfile without an engine: each instruction is carried out by bubblewrap in a folder.
 * A base image is the system of this machine: its libraries, a shell, and in a stage of `node` Node with npm.
 */
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

export interface ContainerImage {
  /** Its root file system. */
  readonly root: string;
  readonly env: readonly string[];
  readonly workingFolder: string;
  /** Such as `1000:1000`. */
  readonly user: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

const LIBRARIES =
  '--ro-bind /usr/lib /usr/lib --ro-bind-try /usr/lib64 /usr/lib64 --ro-bind /lib /lib --ro-bind-try /lib64 /lib64';
const BUILD_TOOLS = '--ro-bind /usr/bin /usr/bin --ro-bind /bin /bin';
const SHELL = '--ro-bind /bin/sh /bin/sh --ro-bind /usr/bin/env /usr/bin/env';

/** @param env what the build needs of this machine, as a build behind a proxy does */
export async function buildImage(
  context: string,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<ContainerImage> {
  const stages: string[] = [];
  const names = new Map<string, string>();
  let image: ContainerImage | undefined;
  for (const [instruction, rest] of instructionsOf(join(context, 'Dockerfile'))) {
    if (instruction === 'FROM') {
      const root = join(folder, `stage-${stages.length}`);
      stages.push(root);
      const [base = '', , name = ''] = rest.split(' ');
      names.set(name, root);
      makeBase(root, base);
      image = { root, env: [], workingFolder: '/', user: '0:0', entrypoint: [], command: [] };
      continue;
    }
    if (!image) throw new Error('The Dockerfile has no FROM.');
    image = await carryOut(image, instruction, rest, { context, names, env });
  }
  if (!image) throw new Error('The Dockerfile has no FROM.');
  return image;
}

function instructionsOf(file: string): (readonly [string, string])[] {
  const lines = readFileSync(file, 'utf8').replaceAll('\\\n', ' ').split('\n');
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const);
}

function makeBase(root: string, base: string): void {
  for (const name of ['tmp', 'usr/local/bin', 'proc', 'dev', 'etc'])
    mkdirSync(join(root, name), { recursive: true });
  // The read-only root of a run needs the files that are mounted there.
  for (const file of ['bin/sh', 'usr/bin/env']) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  if (base.startsWith('node:')) cpSync(process.execPath, join(root, 'usr/local/bin/node'));
  // The package manager of the base image, whose libraries this machine has.
  else writeFileSync(join(root, 'usr/local/bin/apk'), '#!/bin/sh\n');
  for (const name of readdirSync(join(root, 'usr/local/bin')))
    chmodSync(join(root, 'usr/local/bin', name), 0o755);
}

interface Build {
  readonly context: string;
  readonly names: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string>>;
}

async function carryOut(
  image: ContainerImage,
  instruction: string,
  rest: string,
  build: Build,
): Promise<ContainerImage> {
  switch (instruction) {
    case 'COPY':
      copy(image.root, rest.split(' '), build);
      return image;
    case 'RUN': {
      const setenv = Object.entries({
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: '/tmp',
        ...build.env,
      });
      const words =
        `--bind ${image.root} / ${LIBRARIES} ${BUILD_TOOLS} --proc /proc --dev /dev --clearenv`.split(
          ' ',
        );
      const variables = setenv.flatMap(([name, value]) => ['--setenv', name, value]);
      await promisify(execFile)('bwrap', [...words, ...variables, 'sh', '-c', rest]);
      return image;
    }
    case 'ENV':
      return { ...image, env: [...image.env, ...rest.split(' ')] };
    case 'VOLUME':
      return image;
    case 'WORKDIR':
      return { ...image, workingFolder: rest };
    case 'USER':
      return { ...image, user: rest };
    case 'ENTRYPOINT':
      return { ...image, entrypoint: JSON.parse(rest) as string[] };
    case 'CMD':
      return { ...image, command: JSON.parse(rest) as string[] };
    default:
      throw new Error(`Unknown instruction: ${instruction}`);
  }
}

function copy(root: string, words: readonly string[], { context, names }: Build): void {
  const [option = '', ...paths] = words[0]?.startsWith('--from=') ? words : ['', ...words];
  const from = option === '' ? context : (names.get(option.replace('--from=', '')) ?? '');
  const [source = '', target = ''] = paths;
  const [file, ...others] = filesNamed(join(from, source));
  if (file === undefined || others.length > 0) throw new Error(`Not one file: ${source}`);
  mkdirSync(dirname(join(root, target)), { recursive: true });
  cpSync(file, join(root, target), { recursive: true, verbatimSymlinks: true });
}

/** The paths that a path with a `*` in its last part matches. */
function filesNamed(path: string): string[] {
  const [start = '', end = ''] = basename(path).split('*');
  return readdirSync(dirname(path))
    .filter((name) =>
      path.includes('*') ? name.startsWith(start) && name.endsWith(end) : name === start,
    )
    .map((name) => join(dirname(path), name));
}

/** The words of a shell that start a command in the image: read-only, and without rights, Node of this machine, or PATH. */
export function runWords(image: ContainerImage, mounts: string, env: readonly string[]): string {
  const [uid = '', gid = ''] = image.user.split(':');
  const variables = ['PATH=/usr/local/bin:/usr/bin:/bin', ...image.env, ...env];
  const setenv = variables.map((pair) => `--setenv ${pair.replace('=', ' ')}`).join(' ');
  return `bwrap --ro-bind ${image.root} / ${LIBRARIES} ${SHELL} --proc /proc --dev /dev --tmpfs /tmp ${mounts} \\
      --unshare-user --uid ${uid} --gid ${gid} --cap-drop ALL --chdir ${image.workingFolder} --clearenv ${setenv} \\
      ${image.entrypoint.join(' ')}`;
}
