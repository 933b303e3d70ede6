/**
 * How help reads: what the command is, how it is typed, examples, then arguments, flags and commands in groups,
 * and the environment. From 40 columns up; where there is no room for two columns, the meaning goes below.
 */
import { Help, type Argument, type Command, type Option } from 'commander';
import { variableDefinition, type VariableName } from '../../app/environment.js';

export interface Example {
  readonly line: string;
  readonly what: string;
}

/** What a page tells beside what commander knows. */
export interface PageFacts {
  readonly examples: readonly Example[];
  readonly variables: readonly VariableName[];
}

/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 100;
/** With less room than this beside the terms, the meanings go below them. */
const NARROWEST_MEANING = 34;
const INDENT = '  ';
const BELOW = '      ';
const HANGING = '    ';

export class HelpPage extends Help {
  override minWidthToWrap = 20;

  constructor(private readonly facts: PageFacts) {
    super();
  }

  override prepareContext(context: { helpWidth?: number }): void {
    super.prepareContext(context);
    this.helpWidth = Math.min(this.helpWidth ?? WIDEST, WIDEST);
  }

  override formatHelp(command: Command, helper: HelpPage): string {
    const usage = `${helper.styleTitle('Usage:')} ${helper.styleUsage(helper.commandUsage(command))}`;
    return [
      this.#wrapped(helper.commandDescription(command), '', ''),
      '',
      this.#wrapped(usage, '', HANGING),
      '',
      ...this.#list(
        'Examples:',
        this.facts.examples.map(({ line, what }) => [line, what]),
      ),
      ...this.#arguments(command),
      ...this.#commands(command),
      ...this.#flags(command),
      ...this.#list(
        'Environment:',
        this.facts.variables.map((name) => [name, variableDefinition(name).meaning]),
      ),
      ...(command.parent ? [] : [this.#wrapped(MORE, '', ''), '']),
    ].join('\n');
  }

  /** In lists a description is a phrase; at the top of its page, a sentence. */
  override commandDescription(command: Command): string {
    const phrase = command.description();
    const sentence = phrase.charAt(0).toUpperCase() + phrase.slice(1);
    return sentence.endsWith('.') ? sentence : `${sentence}.`;
  }

  override commandUsage(command: Command): string {
    return super.commandUsage(command).replace('[options]', '[flags]');
  }

  /** The name and what it takes; that there are flags goes without saying. */
  override subcommandTerm(command: Command): string {
    return super.subcommandTerm(command).replace(' [options]', '');
  }

  /** Long flags stand below each other whether or not a short one stands before them. */
  override optionTerm(option: Option): string {
    return option.short === undefined ? `    ${option.flags}` : option.flags;
  }

  /** What a flag takes is told in its meaning. */
  override optionDescription(option: Option): string {
    return option.description;
  }

  override argumentDescription({ description, argChoices }: Argument): string {
    return argChoices ? `${description}: ${argChoices.join(', ')}` : description;
  }

  /** Term and meaning beside each other, or the meaning below where it would get too narrow. */
  override formatItem(term: string, termWidth: number, meaning: string, helper: Help): string {
    if (!this.#isNarrow(termWidth)) return super.formatItem(term, termWidth, meaning, helper);
    return `${this.#wrapped(term.trimStart(), INDENT, HANGING)}\n${this.#wrapped(meaning, BELOW, BELOW)}`;
  }

  // commander takes the colours out again where there is no terminal, and with NO_COLOR.
  override styleTitle(text: string): string {
    return `\u001B[1m${text}\u001B[22m`;
  }

  override styleCommandText(text: string): string {
    return this.#term(text);
  }

  override styleSubcommandText(text: string): string {
    return this.#term(text);
  }

  override styleOptionText(text: string): string {
    return this.#term(text);
  }

  #term(text: string): string {
    return `\u001B[36m${text}\u001B[39m`;
  }

  #arguments(command: Command): string[] {
    const items = this.visibleArguments(command).map(
      (argument) => [argument.name(), this.argumentDescription(argument)] as const,
    );
    return this.#list('Arguments:', items);
  }

  #commands(command: Command): string[] {
    const visible = this.visibleCommands(command);
    const groups = this.groupItems(visible, visible, (sub: Command) => sub.helpGroup());
    return [...groups].flatMap(([group, subs]) =>
      this.#list(
        group || 'Commands:',
        subs.map((sub) => [this.subcommandTerm(sub), this.subcommandDescription(sub)]),
      ),
    );
  }

  #flags(command: Command): string[] {
    const visible = this.visibleOptions(command);
    const groups = this.groupItems(
      visible,
      visible,
      (option: Option) => option.helpGroupHeading ?? 'Flags:',
    );
    return [...groups].flatMap(([group, options]) =>
      this.#list(
        group,
        options.map((option) => [this.optionTerm(option), this.optionDescription(option)]),
      ),
    );
  }

  #list(heading: string, items: readonly (readonly [term: string, meaning: string])[]): string[] {
    const termWidth = Math.max(0, ...items.map(([term]) => term.length));
    const lines = items.map(([term, meaning]) =>
      this.formatItem(
        this.#term(this.#isNarrow(termWidth) ? term.trimStart() : term),
        termWidth,
        meaning,
        this,
      ),
    );
    return this.formatItemList(heading, lines, this);
  }

  #isNarrow(termWidth: number): boolean {
    return this.#width() - termWidth - 2 * INDENT.length < NARROWEST_MEANING;
  }

  #wrapped(text: string, first: string, further: string): string {
    const lines = this.boxWrap(text, this.#width() - further.length).split('\n');
    return `${first}${lines.join(`\n${further}`)}`;
  }

  #width(): number {
    return this.helpWidth ?? WIDEST;
  }
}

const MORE =
  'More of each command: tankobon help <command>. What else can be asked: tankobon help environment, ' +
  'tankobon help exit-codes.';
