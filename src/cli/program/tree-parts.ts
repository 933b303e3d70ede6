/** What the branches of the command tree are handed. */
import type { ExitCode } from '../../core/exit-codes.js';
import type { BareCommandContext, CommandContext } from '../command-context.js';

export interface Surroundings {
  /** With the settings in force. Throws UsageError('bad-setting') where they cannot be read. */
  readonly run: () => Promise<CommandContext>;
  /** Without them: for what must work while they are wrong. */
  readonly bare: () => BareCommandContext;
}

export interface TreeParts extends Surroundings {
  /** Is told the exit code of the command that ran. */
  readonly done: (code: ExitCode) => void;
}

/** The groups of the commands, as help shows them. */
export const COMMAND_GROUPS = {
  chapters: 'Chapters:',
  login: 'Your login:',
  manners: 'Good manners:',
  itself: 'tankobon itself:',
} as const;

/** The groups of the flags. */
export const FLAG_GROUPS = {
  targets: 'What to fetch:',
  selection: 'Which chapters of a title or list:',
  result: 'What comes out:',
  course: 'How it goes:',
  telling: 'What is told:',
} as const;

/** What help can be asked for beside commands. */
export const HELP_TOPICS = ['environment', 'exit-codes'] as const;
