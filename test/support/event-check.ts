/** Compares events with the table of events. */
import * as z from 'zod';
import { eventsJsonSchema } from '../../src/events/json-schema.js';
import { EVENTS } from '../../src/events/events.js';
import type { EventTable, Field, Fields } from '../../src/events/fields.js';

const TABLES = Object.entries<EventTable>(EVENTS);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;

const CHECKS: Readonly<Record<Field['kind'], (value: unknown) => boolean>> = {
  text: isText,
  path: isText,
  id: (value) => UUID.test(String(value)),
  address: (value) => /^https?:\/\//.test(String(value)),
  time: (value) => ISO_TIME.test(String(value)),
  count: isCount,
  milliseconds: isCount,
  bytes: isCount,
  boolean: (value) => typeof value === 'boolean',
  true: (value) => value === true,
  'error-code': isText,
  word: isText,
  object: (value) => typeof value === 'object' && value !== null,
  error: (value) => value instanceof Error,
};

/** What of the values is not as the fields say: one that is missing, has another kind, or has no field. */
export function fieldProblems(fields: Fields, values: object, prefix = ''): readonly string[] {
  const given = new Map<string, unknown>(Object.entries(values));
  const unknown = [...given.keys()].filter((name) => name !== 'type' && !(name in fields));
  return [
    ...unknown.map((name) => `${prefix}${name} has no field`),
    ...Object.entries(fields).flatMap(([name, field]) => {
      const value = given.get(name);
      if (value !== undefined) return valueProblems(field, value, `${prefix}${name}`);
      return field.isOptional || field.kind === 'error' ? [] : [`${prefix}${name} is missing`];
    }),
  ];
}

function valueProblems(field: Field, value: unknown, path: string): readonly string[] {
  if (field.isList) {
    if (!Array.isArray(value)) return [`${path} is not a list`];
    const item = { ...field, isList: undefined };
    return value.flatMap((each) => valueProblems(item, each, `${path}[]`));
  }
  const isWord = field.kind !== 'word' || Object.keys(field.words ?? {}).includes(String(value));
  if (!CHECKS[field.kind](value) || !isWord)
    return [`${path} is not a ${field.kind}: ${String(value)}`];
  return field.fields ? fieldProblems(field.fields, value as object, `${path}.`) : [];
}

type SchemaOfLine = Parameters<typeof z.fromJSONSchema>[0];
const LINE_SCHEMAS = eventsJsonSchema()['anyOf'] as readonly { readonly title: string }[];
const checks = new Map<unknown, readonly z.ZodType[]>();

/** What of the event does not match the schema of `help events --schema`. */
export function schemaProblems(event: Readonly<Record<string, unknown>>): readonly string[] {
  const { type } = event;
  const known =
    checks.get(type) ??
    LINE_SCHEMAS.filter(({ title }) => title === type).map((schema) =>
      z.fromJSONSchema(schema as SchemaOfLine),
    );
  checks.set(type, known);
  if (known.length === 0) return [`no schema is of ${String(type)}`];
  const problems = known.map((schema) => schema.safeParse(event).error?.message ?? '');
  return problems.includes('') ? [] : problems;
}

type AnyEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/** None if the event is one of those that the commands print. */
export function eventProblems(event: AnyEvent): readonly string[] {
  const rows = TABLES.flatMap(([, table]) => table[event.type] ?? []);
  if (rows.length === 0) return [`no event is called ${event.type}`];
  const problems = rows.map(({ fields }) => fieldProblems(fields, event));
  return problems.some((each) => each.length === 0) ? [] : (problems[0] ?? []);
}

/** The lines that matched the schema, without what their texts and numbers are. */
const matched = new Set<string>();

/**
 * Throws if a line of `--json` is an event that is not as the table says. Lines that are not events are ignored. The schema,
 * which is made from the table, is asked once for lines of the same fields, which saves time.
 */
export function assertEventLines(stdout: string): void {
  for (const line of stdout.split('\n')) {
    if (!line.startsWith('{"type":')) continue;
    const event = JSON.parse(line) as AnyEvent;
    const shape = `${event.type} ${line.replace(/"(?:[^"\\]|\\.)*"(?!:)/g, '""').replace(/\d+/g, '0')}`;
    if (matched.has(shape)) assertFields(event);
    else assertEvent(event);
    matched.add(shape);
  }
}

function assertFields(event: AnyEvent): void {
  const problems = eventProblems(event);
  if (problems.length > 0) throw new Error(`${problems.join('; ')}: ${JSON.stringify(event)}`);
}

export function assertEvent(event: AnyEvent): void {
  const problems = [...eventProblems(event), ...schemaProblems(event)];
  if (problems.length > 0) throw new Error(`${problems.join('; ')}: ${JSON.stringify(event)}`);
}
