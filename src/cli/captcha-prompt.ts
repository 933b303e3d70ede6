/**
 * Captchas, as far as a command line can help: the request that asked for one is sent again with the result from
 * `--captcha-result`, or with what a person at the terminal types in.
 */
import { interruption } from '../core/errors.js';
import { solveCaptcha } from '../api/captcha.js';
import { CaptchaRequired } from '../api/api-errors.js';
import type { ApiRequest, ServiceClient } from '../api/client.js';
import { rawStream } from './output/safe-stream.js';
import type { CommandContext } from './command-context.js';

/** A solved captcha's result for this site key; `undefined` where there is nobody to ask. */
export type SolveCaptcha = (siteKey: string | undefined) => Promise<string | undefined>;

/**
 * The same client, which gets over captchas. A request that only reads is sent again with the result in its header;
 * one that changes something is not repeated on trust: the result goes to the captcha's own endpoint first (spec
 * 4.4). One captcha at a time: whoever was refused meanwhile tries again before asking for another.
 */
export function solvingCaptchas(client: ServiceClient, solve: SolveCaptcha): ServiceClient {
  let solved = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const acting = turn.then(act);
    turn = acting.catch(() => undefined);
    return acting;
  };
  const getOver = async <T>(request: ApiRequest<T>, refused: CaptchaRequired): Promise<T> => {
    const captchaResult = await solve(refused.siteKey);
    if (captchaResult === undefined) throw refused;
    const repeat = request.method === 'GET' ? { ...request, captchaResult } : request;
    if (repeat === request) await solveCaptcha(client, captchaResult, request.signal);
    const answer = await client.api(repeat);
    solved += 1;
    return answer;
  };
  return {
    admit: (line, signal) => client.admit(line, signal),
    tokenForm: (form, options) => client.tokenForm(form, options),
    async api<T>(request: ApiRequest<T>): Promise<T> {
      const solvedBefore = solved;
      try {
        return await client.api(request);
      } catch (error) {
        if (!(error instanceof CaptchaRequired)) throw error;
        return inTurn(async () => {
          if (solved === solvedBefore) return getOver(request, error);
          try {
            return await client.api(request);
          } catch (again) {
            if (!(again instanceof CaptchaRequired)) throw again;
            return getOver(request, again);
          }
        });
      }
    },
  };
}

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
