/** The single executable, run where there is nothing else: not even a shell, or Node.js. */
import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Finished } from './command.js';

/** Made by `npm run executable`; a finished one may be named. */
export function buildExecutable(): string {
  const named = process.env['TANKOBON_EXECUTABLE'];
  if (named !== undefined) return resolve(named);
  execFileSync(process.execPath, ['scripts/executable.js'], { stdio: 'ignore' });
  return resolve('executable/tankobon');
}

/** A Linux machine that has only the libraries of C and C++. */
export class EmptyMachine {
  readonly #libraries: readonly string[];

  /**
   * @param app the folder of the executable, which is `/app` there and cannot be written
   * @param home is `/home/reader` there
   */
  constructor(
    private readonly app: string,
    private readonly home: string,
  ) {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const listed = execFileSync('ldd', [join(app, 'tankobon')], { encoding: 'utf8' });
    const linked = [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
    // Parts of the C library that the addons use.
    const folder = dirname(linked.find((path) => path.endsWith('/libc.so.6')) ?? '');
    const others = ['libresolv.so.2', 'librt.so.1'].map((name) => join(folder, name));
    this.#libraries = [...linked, ...others];
  }

  start(
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
    program = '/app/tankobon',
  ): ChildProcessWithoutNullStreams {
    const binds = this.#libraries.flatMap((path) => ['--ro-bind', path, path]);
    const variables = { HOME: '/home/reader', ...env };
    const setenv = Object.entries(variables).flatMap((pair) => ['--setenv', ...pair]);
    return spawn('bwrap', [
      ...['--die-with-parent', '--clearenv', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
      ...[...binds, '--ro-bind', this.app, '/app', '--bind', this.home, '/home/reader'],
      ...[...socketBinds(env), '--chdir', '/home/reader', ...setenv, program, ...words],
    ]);
  }

  async run(...args: Parameters<EmptyMachine['start']>): Promise<Finished> {
    return finished(this.start(...args));
  }
}

/** The socket of the bus on which a keychain is, which is a file. */
function socketBinds({ DBUS_SESSION_BUS_ADDRESS: bus = '' }: Readonly<Record<string, string>>) {
  const [, socket] = /^unix:path=([^,]+)/.exec(bus) ?? [];
  return socket === undefined ? [] : ['--bind', dirname(socket), dirname(socket)];
}

export function finished(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined);
  child.stdin.end();
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code, signal) => {
      done({ code, signal, stdout, stderr });
    });
  });
}
