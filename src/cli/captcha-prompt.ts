/** Solved captchas from `--captcha-result`, or from the person at the terminal. */
import type { SolveCaptcha } from '../api/captcha.js';
import { interruption } from '../core/errors.js';
import type { CommandContext } from './command-context.js';
import { rawStream } from './output/safe-stream.js';

/** From the flag, once; after that from the person at the terminal, if there is one. */
export function captchaSolver(
  flag: string | undefined,
  run: CommandContext,
  suspend: () => void,
): SolveCaptcha {
  let given = flag;
  return async (siteKey) => {
    if (given !== undefined) {
      const result = given;
      given = undefined;
      return result;
    }
    if (!run.stdin.isTTY || !run.stderr.isTTY) return undefined;
    suspend();
    run.stderr.write(
      `The service wants a captcha to be solved${siteKey ? ` (site key ${siteKey})` : ''}.\n`,
    );
    const { input } = await import('@inquirer/prompts');
    const result = await input(
      { message: 'Its result (empty: give up):' },
      { input: run.stdin, output: rawStream(run.stderr), signal: run.signal },
    ).catch((error: unknown) => {
      run.signal.throwIfAborted();
      throw error instanceof Error && error.name === 'ExitPromptError' ? interruption() : error;
    });
    return result.trim() === '' ? undefined : result.trim();
  };
}
