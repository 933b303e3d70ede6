/** What a command works with: injected, so that it runs without argv or a process. */
import type { AppContext } from '../config/context.js';
import type { ExitCode } from '../core/exit-codes.js';

export interface CommandContext extends AppContext {
  readonly stdin: NodeJS.ReadStream;
  /** Results only. */
  readonly stdout: NodeJS.WriteStream;
  /** Messages. */
  readonly stderr: NodeJS.WriteStream;
  /** Aborted with the `interrupted` error when the user stops the command. */
  readonly signal: AbortSignal;
}

/** Without settings, for commands that must work while the settings are invalid. */
export type BareCommandContext = Omit<CommandContext, 'settings'>;

/** A command that returns no exit code is done. */
export type CommandResult = ExitCode | undefined | Promise<ExitCode | undefined>;

/** Runs the actions of the commands. */
export interface CommandRunner {
  /** With the settings in force, after a check of the state folder. Throws UsageError('bad-setting'). */
  readonly run: (action: (context: CommandContext) => CommandResult) => Promise<void>;
  readonly runBare: (action: (context: BareCommandContext) => CommandResult) => Promise<void>;
}
