/** The topics of `tankobon help`, from the tables that the documentation is made of. */
import type { Command } from 'commander';
import { FIELD_VALUES } from '../config/name-template.js';
import { PRINT_FIELDS, TITLE_PRINT_FIELDS } from '../config/print-template.js';
import { ENVIRONMENT } from '../config/environment.js';
import {
  describeValue,
  flagOf,
  hasOpposite,
  oppositeFlag,
  optionDefinition,
  SETTING_NAMES,
  variableOf,
  type SettingName,
} from '../config/options.js';
import { EXIT_MEANINGS } from '../core/exit-codes.js';
import { formatBytes } from '../core/human-format.js';
import { DEVICES, type Device } from '../config/devices.js';
import { SUBSCRIPTION_KEYS, SUBSCRIPTIONS_EXAMPLE } from '../sync/subscription-keys.js';
import { eventsByCommand, listedFields, type ListedEvent } from '../events/events.js';
import { formatItems, wrapText, type HelpItems, type TopicName } from './help-format.js';

/** A heading with items below it, or lines as they are. */
type Section = readonly [heading: string, content: readonly (HelpItems[number] | string)[]];

const HEADING_WIDTH = 80;

const TOPICS: Readonly<Record<TopicName, () => readonly Section[]>> = {
  settings: () => [
    [
      'Set with tankobon config set; in brackets the default, the option and the variable:',
      SETTING_NAMES.map((name) => [name, describeSetting(name)]),
    ],
  ],
  names: () => [
    ['Fields of a template, as for --name:', Object.entries(FIELD_VALUES).map(asField)],
    [
      'In a template:',
      [
        ['/', 'separates folders'],
        ['{{ and }}', 'are braces'],
        ['[{group}]', 'brackets are left out if no field in them has a value'],
      ],
    ],
    ['Further fields for --print of download and sync:', Object.entries(PRINT_FIELDS).map(asField)],
    ['Fields for --print of search:', Object.entries(TITLE_PRINT_FIELDS).map(asField)],
    [
      'In --print:',
      [[String.raw`\t \n \0`, 'tab, line feed, and the end of a result for xargs -0']],
    ],
    ['Example:', ['--name "{series}/v{volume:02}/{chapter:03} {title} [{group}]"']],
  ],
  devices: () => [
    ['Names for bind --for, without a number for the newest model:', DEVICES.map(asDevice)],
    [
      'Any other screen:',
      ['--for 1264x1680 (WIDTHxHEIGHT in pixels, in color, as CBZ; --format chooses another one)'],
    ],
    ['KOReader, on any of them:', ['--format cbz']],
  ],
  subscriptions: () => [
    ['Keys of the file:', Object.entries(SUBSCRIPTION_KEYS.file)],
    ['Keys of a title:', Object.entries(SUBSCRIPTION_KEYS.series)],
    ['Hooks:', Object.entries(SUBSCRIPTION_KEYS.hooks)],
    ['Example:', SUBSCRIPTIONS_EXAMPLE.split('\n')],
  ],
  environment: () => [
    [
      'Variables:',
      Object.entries(ENVIRONMENT).map(([name, { description, default: defaultValue }]) => [
        name,
        defaultValue === undefined ? description : `${description} (default: ${defaultValue})`,
      ]),
    ],
  ],
  'exit-codes': () => [['Exit codes:', Object.entries(EXIT_MEANINGS)]],
  events: () => [
    ['With --json, one object a line. The fields of an event:', ['tankobon help events NAME']],
    ['Their JSON Schema:', ['tankobon help events --schema']],
    ...eventsByCommand().map(({ command, events, others }): Section => {
      const besides = others.length === 0 ? '' : ` (and ${others.join(', ')})`;
      return [`${command}${besides}:`, events.map(({ type, meaning }) => [type, meaning])];
    }),
  ],
};

export function describeTopic(name: TopicName, program: Command): string {
  return formatSections(TOPICS[name](), program);
}

/** The fields of an event, with the values of words and an example; undefined if no event has the name. */
export function describeEvent(name: string, program: Command): string | undefined {
  const events = eventsByCommand()
    .flatMap((each) => each.events)
    .filter(({ type }) => type === name);
  if (events.length === 0) return undefined;
  return events.map((each) => formatSections(eventSections(each), program)).join('\n');
}

function eventSections({ type, commands, meaning, fields, example }: ListedEvent): Section[] {
  const listed = listedFields(fields);
  return [
    [`${type} (${commands.join('; ')}): ${withoutMarks(meaning)}`, []],
    ['Fields:', listed.map((each) => [each.name, `${each.field.sentence} (${each.type})`])],
    ...listed.flatMap(({ name: field, field: { words } }): Section[] =>
      words ? [[`Values of ${field}:`, Object.entries(words)]] : [],
    ),
    ['Example:', [JSON.stringify({ type, ...example })]],
  ];
}

function formatSections(sections: readonly Section[], program: Command): string {
  const texts = sections.map(([heading, content]) => {
    const lines = content.map((each) => (typeof each === 'string' ? `  ${each}` : undefined));
    const items = content.filter((each) => typeof each !== 'string');
    const body = items.length > 0 ? formatItems(program, items.map(asPlain)) : lines;
    return [wrapText(heading, HEADING_WIDTH), ...body].join('\n');
  });
  return `${texts.join('\n\n')}\n`;
}

/** Such as `1264 x 1680, gray, EPUB, spreads split`. */
function asDevice(device: Device): HelpItems[number] {
  const { name, width, height, screen, format, maxBytes, spread } = device;
  const spreads = { split: 'split', rotate: 'turned', both: 'turned and split', keep: 'kept' };
  const limit = maxBytes === undefined ? [] : [`at most ${formatBytes(maxBytes)}`];
  const parts = [
    `${width} x ${height}`,
    screen === 'gray-paper' ? 'gray' : 'color',
    format.toUpperCase(),
    ...limit,
    `spreads ${spreads[spread]}`,
  ];
  return [name, parts.join(', ')];
}

const asField = ([name, value]: readonly [string, string]) => [`{${name}}`, value] as const;

function asPlain([term, text]: HelpItems[number]): HelpItems[number] {
  return [term, withoutMarks(text)];
}

/** The text without the marks of Markdown. */
const withoutMarks = (text: string): string =>
  text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '');

/** Such as `images as uploaded, or compressed: data or data-saver (default: data; --quality; TANKOBON_QUALITY)`. */
function describeSetting(name: SettingName): string {
  const { default: byDefault } = optionDefinition(name);
  const flag = flagOf(name);
  const notes = [
    ...(byDefault === '' ? [] : [`default: ${byDefault}`]),
    ...(flag === undefined ? [] : [hasOpposite(name) ? `${flag}, ${oppositeFlag(flag)}` : flag]),
    variableOf(name),
  ];
  return `${describeValue(name)} (${notes.join('; ')})`;
}
