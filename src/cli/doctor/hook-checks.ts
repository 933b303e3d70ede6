/** Checks of the hooks of the subscriptions file. They call none of them. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { openHookKeys } from '../../service/login.js';
import { HOOK_KEY_NAMES, HOOK_SERVICES, type HookService } from '../../config/hook-services.js';
import { type HookOptions, needsSecret } from '../../sync/hooks.js';
import type { SubscriptionList } from '../../sync/subscription-list.js';
import type { CommandContext } from '../command-context.js';
import { ok } from './run-checks.js';
import type { Finding } from '../../events/doctor-events.js';

export async function checkHooks(
  list: SubscriptionList,
  context: CommandContext,
): Promise<Finding[]> {
  const { hooks } = list.subscriptions;
  const services = HOOK_SERVICES.filter((name) => hooks[name] !== undefined);
  const findings = [];
  for (const name of services) findings.push(await checkKey(name, hooks, context));
  if (hooks.exec)
    findings.push(
      await checkProgram(hooks.exec.command[0] ?? '', context.env, list.commandLine('edit')),
    );
  return findings;
}

async function checkKey(
  name: HookService,
  hooks: HookOptions,
  { paths, redactor, openKeychain }: CommandContext,
): Promise<Finding> {
  // A webhook's path may be secret.
  const { host } = new URL(hooks[name]?.url ?? '');
  const isNeeded =
    name === 'komga' ||
    name === 'kavita' ||
    (name === 'webhook' && hooks.webhook !== undefined && needsSecret(hooks.webhook));
  const key = await openHookKeys(join(paths.state, 'credentials'), openKeychain).read(name);
  if (key !== undefined) {
    redactor.add(key);
    return ok(`${name} at ${host}, with a stored key`);
  }
  if (!isNeeded) return ok(`${name} at ${host}, without a key`);
  return {
    status: 'error',
    message: `${name} at ${host}: no key is stored (${HOOK_KEY_NAMES[name]})`,
    hint: `Run: tankobon login --for ${name}`,
  };
}

async function checkProgram(
  command: string,
  env: Readonly<NodeJS.ProcessEnv>,
  editCommand: string,
): Promise<Finding> {
  const program = await findProgram(command, env);
  if (program !== undefined) return ok(`exec runs ${program}`);
  return {
    status: 'error',
    message: `exec: no program that can be run: ${command}`,
    hint: `Check its path and its permissions. To edit the hook, run: ${editCommand}`,
  };
}

/** What Windows runs without a shell. */
const WINDOWS_EXTENSIONS = ['', '.exe', '.com'];

/** The path of the file that is run for `command`, as the system looks for it; undefined if there is none. */
export async function findProgram(
  command: string,
  { PATH = '' }: Readonly<NodeJS.ProcessEnv>,
): Promise<string | undefined> {
  const isWindows = process.platform === 'win32';
  const hasFolder = command.includes('/') || (isWindows && command.includes('\\'));
  const folders = hasFolder ? [''] : PATH.split(delimiter);
  for (const folder of folders) {
    for (const extension of isWindows ? WINDOWS_EXTENSIONS : ['']) {
      const path = (hasFolder ? command : join(folder, command)) + extension;
      if (command !== '' && (await isProgram(path))) return path;
    }
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
