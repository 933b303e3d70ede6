/** How help is laid out: commander's own format, and sections for examples and environment variables below it. */
import { stripVTControlCharacters } from 'node:util';
import { Help, type Command, type HelpConfiguration } from 'commander';
import { ENVIRONMENT } from '../config/environment.js';
import { maxOf } from '../core/extremes.js';

/** What concerns several commands: `tankobon help <topic>`. */
const TOPICS = {
  settings: 'defaults for most options: tankobon config set',
  names: 'fields for --name and --print',
  devices: 'screens for bind --for',
  subscriptions: 'the file that sync reads',
  environment: 'variables: folders, proxy, ledger, settings',
  'exit-codes': 'what each exit code means',
  events: 'what --json prints',
};
export type TopicName = keyof typeof TOPICS;
export const TOPIC_NAMES = Object.keys(TOPICS) as readonly TopicName[];

export type HelpItems = readonly (readonly [term: string, description: string])[];

/** A narrower description goes below its term. */
export const MIN_DESCRIPTION_WIDTH = 34;

const bold = (text: string) => `\u001B[1m${text}\u001B[22m`;
const cyan = (text: string) => `\u001B[36m${text}\u001B[39m`;

/** commander removes the colors if the output has none (HELP_OUTPUT). */
export const HELP_FORMAT: HelpConfiguration = {
  minWidthToWrap: 20,
  styleTitle: bold,
  styleOptionText: cyan,
  styleArgumentText: cyan,
  styleSubcommandText: cyan,
  styleUsage(this: Help, usage) {
    return indentRest(this.boxWrap(usage, helpWidth(this) - 'Usage: '.length), 'Usage: '.length);
  },
  subcommandTerm: (command) => Help.prototype.subcommandTerm(command).replace(' [options]', ''),
  // Descriptions state choices and defaults themselves.
  optionDescription: ({ description }) => description,
  formatHelp(this: Help, command, help) {
    const text = Help.prototype.formatHelp.call(this, command, help);
    return command.parent ? commandsFirst(text, help) : text;
  },
  formatItem: (term, termWidth, description, help) => {
    const width = helpWidth(help);
    if (width - termWidth - 4 >= MIN_DESCRIPTION_WIDTH)
      return Help.prototype.formatItem.call(help, term, termWidth, description, help);
    const wrappedTerm = indentRest(help.boxWrap(term, width - 4), 4);
    return `  ${wrappedTerm}\n      ${indentRest(help.boxWrap(description, width - 6), 6)}`;
  },
};

/** Whether the first line ends with a colon: that of `Usage:` has the command behind it. */
const hasHeading = (section: string) => /^\S.*:$/m.test(stripVTControlCharacters(section));

/** Moves the subcommands, which commander prints last, before the options. */
function commandsFirst(text: string, help: Help): string {
  const sections = text.split(/\n(?=\S)/);
  const isCommands = (section: string) => section.startsWith(help.styleTitle('Commands:'));
  const [commands, options] = [sections.findIndex(isCommands), sections.findIndex(hasHeading)];
  if (commands < 0) return text;
  const [moved = ''] = sections.splice(commands, 1);
  sections.splice(options, 0, moved);
  return sections.join('\n');
}

function helpWidth(help: Help): number {
  return help.helpWidth ?? 80;
}

/** The text on lines of at most this width, but for longer words. */
export function wrapText(text: string, width: number): string {
  return Object.assign(new Help(), HELP_FORMAT).boxWrap(text, width);
}

/** The text with all lines after the first indented. */
export function indentRest(text: string, columns: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(columns)}`);
}

/** Terms and their descriptions in the layout of the command's help. */
export function formatItems(command: Command, items: HelpItems): string[] {
  const help = command.createHelp();
  help.prepareContext({ helpWidth: command.configureOutput().getOutHelpWidth?.() });
  const termWidth = maxOf(items.map(([term]) => term.length));
  return items.map(([term, text]) => help.formatItem(term, termWidth, text, help));
}

/** Command lines that work as they are, and what they do. */
export function addExamples(command: Command, examples: HelpItems): Command {
  return addSection(command, 'Examples:', () => examples);
}

/** How to get more help. */
export function addTopics(command: Command): Command {
  return addSection(command, 'More:', () => [
    ['tankobon help <command>', 'its options and examples'],
    ['tankobon help <topic>', TOPIC_NAMES.join(', ')],
  ]);
}

/** The topics that concern the options of the command. */
export function addMore(command: Command, ...topics: readonly TopicName[]): Command {
  return addSection(command, 'More:', () =>
    topics.map((topic) => [`tankobon help ${topic}`, TOPICS[topic]]),
  );
}

/** Environment variables that the command reads. */
export function addEnvironment(command: Command, ...names: readonly string[]): Command {
  return addSection(command, 'Environment:', () =>
    names.map((name) => [name, ENVIRONMENT[name]?.description ?? '']),
  );
}

function addSection(command: Command, title: string, items: () => HelpItems): Command {
  return command.addHelpText('after', () =>
    ['', bold(title), ...formatItems(command, items())].join('\n'),
  );
}
