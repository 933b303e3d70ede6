/** A command of the tree, with what its help page tells beside its flags. */
import { Command } from 'commander';
import type { VariableName } from '../../app/environment.js';
import { HelpPage, type Example } from './help-page.js';

export class ToldCommand extends Command {
  readonly examples: Example[] = [];
  readonly variables: VariableName[] = [];

  constructor(name?: string) {
    super(name);
    // `tankobon help` is a command of our own, which knows topics too.
    this.helpCommand(false);
    this.helpOption('-h, --help', 'say this');
  }

  /** A line that works as it stands, and what it does. */
  example(line: string, what: string): this {
    this.examples.push({ line, what });
    return this;
  }

  /** Environment variables that matter to this command. */
  reads(...names: readonly VariableName[]): this {
    this.variables.push(...names);
    return this;
  }

  /** `config set` for the command of that name below `config`. */
  path(): string {
    return this.parent instanceof ToldCommand && this.parent.parent
      ? `${this.parent.path()} ${this.name()}`
      : this.name();
  }

  override createCommand(name?: string): ToldCommand {
    return new ToldCommand(name);
  }

  override createHelp(): HelpPage {
    return new HelpPage(this);
  }
}
