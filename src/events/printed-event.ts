/** What `--json` prints of an event, and what people read: by the table alone. */
import { hasCode } from '../core/errors.js';
import type { EventsOf, EventTable, Fields } from './fields.js';

/** The type and the fields of the table, in the order that the event has them: nothing else of the event is printed. */
export function printedEvent<Table extends EventTable>(
  table: Table,
  event: EventsOf<Table>,
): Readonly<Record<string, unknown>> {
  const { type, ...values } = event as { readonly type: string };
  return { type, ...printedValues(table[type]?.fields ?? {}, values) };
}

function printedValues(fields: Fields, values: object): Readonly<Record<string, unknown>> {
  const entries: (readonly [string, unknown])[] = Object.entries(values);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const field = fields[name];
      if (!field || field.kind === 'error') return [];
      return [[name, field.fields ? printedObject(field.fields, value) : value]];
    }),
  );
}

function printedObject(fields: Fields, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => printedObject(fields, each));
  return typeof value === 'object' && value !== null ? printedValues(fields, value) : value;
}

/** The files and folders that the event, or the error in it, names. */
export function eventPaths<Table extends EventTable>(
  table: Table,
  event: EventsOf<Table>,
): readonly string[] {
  const { type, ...values } = event as { readonly type: string };
  return fieldPaths(table[type]?.fields ?? {}, values);
}

function fieldPaths(fields: Fields, values: object): readonly string[] {
  const entries: (readonly [string, unknown])[] = Object.entries(values);
  return entries.flatMap(([name, value]) => {
    const field = fields[name];
    return (Array.isArray(value) ? (value as readonly unknown[]) : [value]).flatMap((each) => {
      if (field?.kind === 'path' && typeof each === 'string') return [each];
      if (field?.kind === 'error' && hasCode(each))
        return each.path === undefined ? [] : [each.path];
      return field?.fields && typeof each === 'object' && each !== null
        ? fieldPaths(field.fields, each)
        : [];
    });
  });
}

/**
 * The lines for people; none if they need not see the event.
 * @param nowMs times of other days are written with their date
 */
export function eventLines<Table extends EventTable>(
  table: Table,
  event: EventsOf<Table>,
  nowMs = 0,
): readonly string[] {
  const { type } = event as { readonly type: string };
  const sentence = table[type]?.sentence?.(event, nowMs);
  return sentence === undefined ? [] : sentence.split('\n');
}

export function eventText<Table extends EventTable>(table: Table, event: EventsOf<Table>): string {
  return eventLines(table, event).join('\n');
}
