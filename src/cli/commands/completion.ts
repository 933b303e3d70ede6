/** `tankobon completion`: prints a shell's completion script, made from the command tree. */
import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../../kernel/exit-codes.js';
import { bashScript } from '../completion/bash.js';
import { branchesOf, type Branch } from '../completion/branches.js';
import { fishScript } from '../completion/fish.js';
import type { Shell } from '../completion/shells.js';
import { zshScript } from '../completion/zsh.js';
import type { BareRun } from '../run.js';

const SCRIPTS: Readonly<Record<Shell, (branches: readonly Branch[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function completion(shell: Shell, program: Command, run: BareRun): ExitCode {
  run.stdout.write(SCRIPTS[shell](branchesOf(program)));
  return EXIT.done;
}
