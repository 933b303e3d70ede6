/** The table of events: what each command prints with `--json`. Help, the documentation and tests are made from it. */
import { ADOPT_EVENTS } from './adopt-events.js';
import { BIND_EVENTS } from './bind-events.js';
import { DOCTOR_EVENTS } from './doctor-events.js';
import { DOWNLOAD_EVENTS, DRY_RUN_EVENTS, SYNC_SUMMARY } from './download-events.js';
import type { EventDefinition, EventTable, Field, FieldKind, Fields } from './fields.js';
import { INFO_EVENTS } from './info-events.js';
import { OVERVIEW_EVENTS } from './overview-events.js';
import { RETAG_EVENTS } from './retag-events.js';
import { SYNC_EVENTS } from './sync-events.js';
import { VERIFY_EVENTS } from './verify-events.js';

const { waiting, warning } = DOWNLOAD_EVENTS;

/** In the order of help. */
export const EVENTS = {
  download: DOWNLOAD_EVENTS,
  'download --dry-run': { ...DRY_RUN_EVENTS, waiting, warning },
  'bind, download --bind': { ...BIND_EVENTS, warning },
  sync: { ...DOWNLOAD_EVENTS, ...SYNC_EVENTS, summary: SYNC_SUMMARY },
  retag: RETAG_EVENTS,
  adopt: ADOPT_EVENTS,
  verify: VERIFY_EVENTS,
  overview: OVERVIEW_EVENTS,
  info: INFO_EVENTS,
  doctor: DOCTOR_EVENTS,
} satisfies Readonly<Record<string, EventTable>>;

export interface ListedEvent extends EventDefinition {
  readonly type: string;
  /** The commands that print it. */
  readonly commands: readonly string[];
}

export interface CommandEvents {
  readonly command: string;
  readonly events: readonly ListedEvent[];
  /** The events that a command before it in the table prints too. */
  readonly others: readonly string[];
}

/** Each event once, with the first command that prints it. */
export function eventsByCommand(): readonly CommandEvents[] {
  const tables = Object.entries<EventTable>(EVENTS);
  const printing = (definition: EventDefinition) =>
    tables.filter(([, table]) => Object.values(table).includes(definition)).map(([name]) => name);
  return tables.map(([command, table]) => {
    const all = Object.entries(table).map(([type, definition]) => ({
      ...definition,
      type,
      commands: printing(definition),
    }));
    const isFirst = ({ commands }: ListedEvent) => commands[0] === command;
    return {
      command,
      events: all.filter(isFirst),
      others: all.filter((each) => !isFirst(each)).map(({ type }) => type),
    };
  });
}

const KIND_NAMES: Readonly<Record<Exclude<FieldKind, 'error'>, string>> = {
  text: 'text',
  id: 'UUID',
  path: 'path',
  address: 'URL',
  time: 'time',
  count: 'number',
  milliseconds: 'milliseconds',
  bytes: 'bytes',
  boolean: '`true` or `false`',
  true: '`true`',
  'error-code': 'error code',
  word: 'word',
  object: 'object',
};

export interface ListedField {
  /** Such as `file`, `reports.sent` or `missing[].number`. */
  readonly name: string;
  /** Such as `text`, or `list of words; may be missing`. */
  readonly type: string;
  readonly field: Field;
}

/** The fields that `--json` prints, each followed by those in it. */
export function listedFields(fields: Fields, prefix = ''): readonly ListedField[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const { kind, isList, isOptional } = field;
    if (kind === 'error') return [];
    const path = `${prefix}${name}${isList ? '[]' : ''}`;
    const type = `${isList ? 'list: ' : ''}${KIND_NAMES[kind]}${isOptional ? '; may be missing' : ''}`;
    return [{ name: path, type, field }, ...listedFields(field.fields ?? {}, `${path}.`)];
  });
}
