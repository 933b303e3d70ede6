/** `tankobon login --for komga|kavita|ntfy`: stores the key that sync sends to that service. Sends nothing. */
import { join } from 'node:path';
import * as z from 'zod';
import type { GivenOptions } from '../../config/options.js';
import { prepareStateFolder } from '../../config/state-folder.js';
import { warnTo } from '../output/error-message.js';
import { openHookKeys } from '../../service/login.js';
import { HOOK_KEY_NAMES, type HookService } from '../../config/hook-services.js';
import { isKeychainMissing } from '../../service/keychain.js';
import { AuthError } from '../../core/errors.js';
import { parseJson } from '../../core/json.js';
import type { CommandContext } from '../command-context.js';
import { askText } from '../prompt.js';
import { readStdin } from './login-input.js';

const INPUT = z.strictObject({ key: z.string() });

export async function storeHookKey(
  service: HookService,
  options: GivenOptions,
  context: CommandContext,
): Promise<undefined> {
  prepareStateFolder(context, warnTo(context.stderr));
  const key =
    options.stdin || !context.stdin.isTTY
      ? await keyFromStdin(service, context)
      : await askForKey(service, context);
  context.redactor.add(key);
  const keys = openHookKeys(join(context.paths.state, 'credentials'), context.openKeychain);
  const where = await keys
    .write(service, key, options.insecureStorage ? 'file' : 'keychain')
    .catch((cause: unknown) => {
      throw isKeychainMissing(cause) ? withoutKeychain(service, cause) : cause;
    });
  const name = HOOK_KEY_NAMES[service];
  context.stdout.write(key === '' ? `${name} removed.\n` : `${name} stored in ${where}.\n`);
}

function withoutKeychain(service: HookService, cause: AuthError): AuthError {
  return new AuthError(cause.code, cause.message, {
    cause,
    hint: `To store the key in a file, unencrypted, run: tankobon login --for ${service} --insecure-storage`,
  });
}

/** The text alone, or a JSON object. Only the object can have an empty key, which removes the stored one. */
async function keyFromStdin(service: HookService, context: CommandContext): Promise<string> {
  const text = (await readStdin(context)).trim();
  if (text === '') throw missingKey(service);
  if (!text.startsWith('{')) return text;
  const input = INPUT.safeParse(parseJson(text));
  if (input.success) return input.data.key.trim();
  throw new AuthError(
    'bad-login-input',
    'Standard input is not a JSON object with only the string key.',
    {
      hint: 'Pipe the key into it, or a JSON object: {"key": "…"}',
    },
  );
}

async function askForKey(service: HookService, context: CommandContext): Promise<string> {
  if (!context.stderr.isTTY) throw missingKey(service);
  const message = `${HOOK_KEY_NAMES[service]} (empty to remove it):`;
  return (await askText(context, { message, isSecret: true })).trim();
}

function missingKey(service: HookService): AuthError {
  return new AuthError('login-incomplete', `Missing: ${HOOK_KEY_NAMES[service]}.`, {
    hint: `Pipe the key into: tankobon login --for ${service}`,
  });
}
