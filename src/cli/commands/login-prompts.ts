/** Asks at the terminal for the values that a login still lacks. Secrets are not shown. */
import { PassThrough } from 'node:stream';
import {
  CLIENT_NOTE,
  type PasswordGrant,
  fieldProblem,
  fieldValue,
  LOGIN_FIELDS,
  type GivenFields,
  type LoginField,
} from '../../config/login-fields.js';
import { printableLine } from '../../core/printable.js';
import type { CommandContext } from '../command-context.js';
import { askText, type PromptContext } from '../prompt.js';
import { wrapText } from '../help-format.js';

/** @param defaultUsername used if the user just presses Enter */
export async function askForFields(
  given: GivenFields,
  defaultUsername: string | undefined,
  context: PromptContext,
): Promise<PasswordGrant> {
  const asksForClient = given.clientId === undefined || given.clientSecret === undefined;
  if (asksForClient)
    context.stderr.write(`${wrapText(CLIENT_NOTE, (context.stderr.columns || 80) - 1)}\n`);
  const keyboard = openKeyboard(context.stdin);
  const ask = async (name: LoginField) => {
    const { label } = LOGIN_FIELDS[name];
    const message = `${label.charAt(0).toUpperCase()}${label.slice(1)}:`;
    const validate = (value: string) => fieldProblem(name, fieldValue(name, value)) ?? true;
    const suggested =
      name === 'username' && defaultUsername ? printableLine(defaultUsername) : undefined;
    const answer = await askText(context, {
      message,
      validate,
      default: suggested,
      isSecret: name === 'password' || name === 'clientSecret',
      input: keyboard.keys,
    });
    return fieldValue(name, answer);
  };
  try {
    return {
      username: given.username ?? (await ask('username')),
      password: given.password ?? (await ask('password')),
      clientId: given.clientId ?? (await ask('clientId')),
      clientSecret: given.clientSecret ?? (await ask('clientSecret')),
    };
  } finally {
    keyboard.close();
  }
}

/**
 * The keys typed, with the terminal's echo off until it is closed: between two prompts the terminal would otherwise
 * show what is typed ahead. Ctrl-C arrives as a key, which the prompt handles.
 */
function openKeyboard(stdin: CommandContext['stdin']) {
  const keys = new PassThrough();
  const forward = (typed: Buffer) => void keys.write(typed);
  stdin.setRawMode(true);
  stdin.on('data', forward);
  return {
    keys,
    close() {
      stdin.off('data', forward);
      stdin.pause();
      stdin.setRawMode(false);
      keys.end();
    },
  };
}
