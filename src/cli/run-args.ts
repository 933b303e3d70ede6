/** Runs one command line with injected streams, environment and clock; no stack trace without DEBUG. */
import { toTankobonError } from '../core/errors.js';
import type { ExitCode } from '../core/exit-codes.js';
import type { BareCommandContext, CommandContext } from './command-context.js';
import { errorMessage } from './output/error-message.js';

/** Resolves with the exit code; an error goes to `context.stderr`. */
export async function runArgs(
  args: readonly string[],
  context: BareCommandContext,
): Promise<ExitCode> {
  try {
    const { runProgram } = await import('./program.js');
    return await runProgram(args, {
      bareContext: () => context,
      context: () => withSettings(context),
    });
  } catch (error) {
    context.stderr.write(errorMessage(error, context.env));
    return toTankobonError(error).exitCode;
  }
}

async function withSettings(bare: BareCommandContext): Promise<CommandContext> {
  const { loadSettings } = await import('../app/settings.js');
  const settings = await loadSettings(bare.env, bare.paths.config);
  return Object.assign(bare, { settings });
}
