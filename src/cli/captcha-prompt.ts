/** Captcha results from `--captcha-result`, or from the user at the terminal. */
import type { SolveCaptcha } from '../service/login.js';
import type { CommandContext } from './command-context.js';
import { askText } from './prompt.js';

/** Returns the value of the option once, then asks at the terminal. @param whilePrompting runs the prompt */
export function captchaSolver(
  option: string | undefined,
  context: CommandContext,
  whilePrompting: <T>(ask: () => Promise<T>) => Promise<T>,
): SolveCaptcha {
  let unused = option;
  return async (siteKey) => {
    if (unused !== undefined) {
      const result = unused;
      unused = undefined;
      return result;
    }
    if (!context.stdin.isTTY || !context.stderr.isTTY) return undefined;
    const result = await whilePrompting(() => {
      context.stderr.write(`Captcha required${siteKey ? ` (site key ${siteKey})` : ''}.\n`);
      return askText(context, { message: 'Captcha result (empty to give up):' });
    });
    return result.trim() || undefined;
  };
}
