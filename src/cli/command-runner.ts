/** What the commands of the tree are built with. */
import type { ExitCode } from '../core/exit-codes.js';
import type { BareCommandContext, CommandContext } from './command-context.js';

type Result = ExitCode | Promise<ExitCode>;

export interface CommandRunner {
  /** Runs an action with the settings in force. Throws UsageError('bad-setting') if they cannot be read. */
  readonly run: (action: (context: CommandContext) => Result) => Promise<void>;
  /** Runs an action without settings, for commands that must work while the settings are invalid. */
  readonly runBare: (action: (context: BareCommandContext) => Result) => Promise<void>;
}
