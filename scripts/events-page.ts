/** docs/events.md, from the table of events. */
import { CHAPTER_FIELDS } from '../src/events/chapter-fields.js';
import {
  eventsByCommand,
  listedFields,
  type CommandEvents,
  type ListedEvent,
} from '../src/events/events.js';
import type { Field, Fields } from '../src/events/fields.js';
import { code, rowsOf, table } from './markdown-tables.js';

export function eventsPage(): readonly string[] {
  const commands = eventsByCommand();
  return [
    '# Events',
    'With `--json`, standard output has one JSON object per line. Its `type` says which event it is; `tankobon help events` lists them, and `tankobon help events NAME` prints what is here, and [`tankobon help events --schema`](scripting.md#a-schema-of-the-events) a JSON Schema. Fields are only added, never removed or renamed. Messages are for people and can change. A path is as it was given; a time is in ISO 8601, in UTC; a number of bytes or milliseconds is a whole one.',
    commands.map(({ command }) => `[${command}](#${anchor(command)})`).join(' · '),
    '## Fields of a chapter',
    'An event about a chapter has these fields, as far as they are known. All of them are text of MangaDex.',
    fieldTable(CHAPTER_FIELDS),
    ...commands.flatMap(commandSection),
  ];
}

/** As GitHub makes it of a heading. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

function commandSection({ command, events, others }: CommandEvents): string[] {
  return [
    `## ${command}`,
    ...(others.length === 0 ? [] : [`It also prints ${others.map(code).join(', ')}: see above.`]),
    ...events.flatMap(eventSection),
  ];
}

function eventSection({ type, meaning, fields, example }: ListedEvent): string[] {
  return [
    `### ${type}`,
    meaning,
    `\`\`\`ndjson\n${JSON.stringify({ type, ...example })}\n\`\`\``,
    eventFieldTable(fields),
    ...listedFields(fields).flatMap(({ name, field: { words } }) =>
      words ? [`Values of ${code(name)}:`, table(['value', 'meaning'], rowsOf(words))] : [],
    ),
  ];
}

/** The fields of an event, without those of a chapter if it has all of them. */
export function splitFields(fields: Fields): {
  readonly own: Fields;
  readonly isOfChapter: boolean;
} {
  const common = Object.entries<Field>(CHAPTER_FIELDS);
  const isOfChapter = common.every(([name, field]) => fields[name] === field);
  const own = Object.entries(fields).filter(([name]) => !isOfChapter || !(name in CHAPTER_FIELDS));
  return { own: Object.fromEntries(own), isOfChapter };
}

/** The fields of a chapter are named together. */
function eventFieldTable(fields: Fields): string {
  const { own, isOfChapter } = splitFields(fields);
  const all = ['', '', 'The [fields of a chapter](#fields-of-a-chapter).'];
  return fieldTable(own, isOfChapter ? [all] : []);
}

function fieldTable(fields: Fields, more: readonly (readonly string[])[] = []): string {
  const rows = listedFields(fields).map(({ name, type, field }) => [
    code(name),
    field.kind === 'error-code' ? type.replace('error code', ERROR_CODE) : type,
    field.sentence,
  ]);
  return table(['field', 'type', 'meaning'], [...rows, ...more]);
}

const ERROR_CODE = '[error code](troubleshooting.md#errors-by-code)';
