/** Runs the program and a Secret Service on its own bus, for the tests of the login. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { PRACTICE_ACCOUNT, PRACTICE_CLIENT } from '../../../src/practice-server/accounts.js';
import { DIST } from '../build-folders.js';

/** The compiled program. */
export const MAIN = join(DIST, 'program/main.js');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type Env = Readonly<Record<string, string>>;

/** Without this machine's desktop, so that no test prompts its user or finds a real login. */
export const BARE_ENV: Env = {
  PATH: process.env['PATH'] ?? '',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus',
  XDG_RUNTIME_DIR: '/nonexistent',
};

/** The practice account. */
export const LOGIN_ENV: Env = {
  TANKOBON_USERNAME: PRACTICE_ACCOUNT.username,
  TANKOBON_PASSWORD: PRACTICE_ACCOUNT.password,
  TANKOBON_CLIENT_ID: PRACTICE_CLIENT.id,
  TANKOBON_CLIENT_SECRET: PRACTICE_CLIENT.secret,
};

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'tankobon-auth-'));
}

/** Starts the program. Its standard input is closed unless `input` is given. */
export function startCli(
  words: readonly string[],
  env: Env,
  input = '',
): ChildProcessWithoutNullStreams {
  if (!existsSync(MAIN)) throw new Error(`There is no ${MAIN}. Run: npm run build`);
  const child = spawn(process.execPath, [MAIN, ...words], { env: { ...BARE_ENV, ...env } });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return child;
}

export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** Runs the program to its end. */
export async function cli(words: readonly string[], env: Env, input?: string): Promise<Ended> {
  return ended(startCli(words, env, input));
}

/** Runs any other program to its end. */
export async function run(
  command: string,
  words: readonly string[],
  env: Env,
  input = '',
): Promise<Ended> {
  const child = spawn(command, words, { env: { ...BARE_ENV, ...env } });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const failed = once(child, 'error').then(([error]: unknown[]) => {
    throw new Error(`${command} cannot be run`, { cause: error });
  });
  return Promise.race([ended(child), failed]);
}

/** Debian's, which has its packages. */
const SYSTEM_PYTHON = '/usr/bin/python3';

/** What a Secret Service on a bus of its own needs. */
export const KEYCHAIN_PROGRAMS = [
  'dbus-run-session',
  'dbus-send',
  'gnome-keyring-daemon',
  'secret-tool',
] as const;

export const SILENT_SERVICE_NEEDS = {
  programs: [...KEYCHAIN_PROGRAMS, SYSTEM_PYTHON],
  pythonModules: ['dbus', 'gi'],
} as const;
export const KWALLET_NEEDS = {
  programs: ['dbus-run-session', 'dbus-send', 'kwalletd5', 'Xvfb', SYSTEM_PYTHON],
} as const;

const BUS_WITHOUT_SERVICES = `<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
<allow own="*"/></policy></busconfig>`;

export interface SecretService {
  /** The environment of a process that uses it. */
  readonly env: Env;
  stop(): Promise<void>;
}

/**
 * `locked`: with the locked keyring of an earlier `unlocked` one in `folder`. `empty`: without a keyring. `absent`: a bus
 * without a Secret Service.
 */
export async function startSecretService(
  folder: string,
  state: 'unlocked' | 'locked' | 'empty' | 'absent' = 'unlocked',
): Promise<SecretService> {
  const home = join(folder, state === 'empty' ? 'empty-home' : 'keyring-home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const own: Env = { HOME: home, XDG_DATA_HOME: home, XDG_CACHE_HOME: home, XDG_RUNTIME_DIR: home };
  const script = resolve('test/support/auth/secret-service.sh');
  return startOnBus(folder, own, [script, state], state !== 'absent');
}

/** A Secret Service that is locked, and that waits without end for the dialog that unlocks it. */
export async function startSilentService(folder: string): Promise<SecretService> {
  const home = join(folder, 'silent-home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const words = [SYSTEM_PYTHON, resolve('test/support/auth/silent-service.py')];
  return startOnBus(folder, { HOME: home, XDG_RUNTIME_DIR: home }, words);
}

/** KWallet, with an unlocked wallet. */
export async function startKWallet(folder: string): Promise<SecretService> {
  const home = join(folder, 'kwallet-home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const words = [SYSTEM_PYTHON, resolve('test/support/auth/kwallet.py'), home];
  return startOnBus(folder, { HOME: home, XDG_RUNTIME_DIR: home }, words);
}

/** Runs a program on a bus of its own; it says the bus's address, and lives until its standard input is closed. */
async function startOnBus(
  folder: string,
  own: Env,
  words: readonly string[],
  hasServices = false,
): Promise<SecretService> {
  const config = join(folder, 'bus.conf');
  writeFileSync(config, BUS_WITHOUT_SERVICES);
  const options = hasServices ? [] : [`--config-file=${config}`];
  const child = spawn('dbus-run-session', [...options, '--', ...words], {
    env: { PATH: BARE_ENV['PATH'], ...own },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const failed = once(child, 'error').then(([error]: unknown[]) => {
    throw new Error('dbus-run-session cannot be run', { cause: error });
  });
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [address] = await Promise.race([line, failed]);
  return {
    env: { ...own, DBUS_SESSION_BUS_ADDRESS: address },
    async stop() {
      const closed = once(child, 'close');
      child.stdin.end();
      await closed;
    },
  };
}

/** The names of the entries that the Secret Service holds under `service`. */
export async function entriesOf(service: string, env: Env): Promise<readonly string[]> {
  const { stdout, stderr } = await run('secret-tool', ['search', '--all', 'service', service], env);
  return [...`${stdout}\n${stderr}`.matchAll(/^attribute\.username = (.*)$/gm)]
    .map(([, name]) => name ?? '')
    .sort();
}

/** The process id of the Secret Service on this bus. */
export async function secretServicePid(env: Env): Promise<number> {
  const method = 'org.freedesktop.DBus.GetConnectionUnixProcessID';
  const words = ['--session', '--print-reply=literal', '--dest=org.freedesktop.DBus'];
  const args = [...words, '/', method, 'string:org.freedesktop.secrets'];
  const { stdout } = await run('dbus-send', args, env);
  return Number(/uint32 (\d+)/.exec(stdout)?.[1]);
}
