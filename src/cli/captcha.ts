/**
 * Captchas, as far as a command line can help: the request that asked for one is sent again with the result from
 * `--captcha-result`, or with what a person at the terminal types in.
 */
import { interruption } from '../kernel/errors.js';
import { CaptchaRequired } from '../service/errors.js';
import type { ApiRequest, ServiceClient } from '../service/client.js';
import type { Run } from './run.js';

/** A solved captcha's result for this site key; `undefined` where there is nobody to ask. */
export type SolveCaptcha = (siteKey: string | undefined) => Promise<string | undefined>;

/** The same client, which repeats once whatever was refused for want of a captcha. */
export function solvingCaptchas(client: ServiceClient, solve: SolveCaptcha): ServiceClient {
  let asking: Promise<string | undefined> = Promise.resolve(undefined);
  return {
    admit: client.admit.bind(client),
    tokenForm: client.tokenForm.bind(client),
    async api<T>(request: ApiRequest<T>): Promise<T> {
      try {
        return await client.api(request);
      } catch (error) {
        if (!(error instanceof CaptchaRequired)) throw error;
        const { siteKey } = error;
        asking = asking.catch(() => undefined).then(() => solve(siteKey));
        const captchaResult = await asking;
        if (captchaResult === undefined) throw error;
        return client.api({ ...request, captchaResult });
      }
    },
  };
}

/** From the flag, once; after that from the person at the terminal, if there is one. */
export function captchaSolver(
  flag: string | undefined,
  run: Run,
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
      { input: run.stdin, output: run.stderr, signal: run.signal },
    ).catch((error: unknown) => {
      run.signal.throwIfAborted();
      throw error instanceof Error && error.name === 'ExitPromptError' ? interruption() : error;
    });
    return result.trim() === '' ? undefined : result.trim();
  };
}
