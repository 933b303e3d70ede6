/** Events and answers as they are printed: lines of `--json`, and text for people. */
import type { EventsOf, EventTable } from '../../events/fields.js';
import { eventPaths, eventText, printedEvent } from '../../events/printed-event.js';
import { writeMessage } from './safe-stream.js';

/** An event: only the fields of its row are printed. */
export function eventLine<Table extends EventTable>(table: Table, event: EventsOf<Table>): string {
  return jsonLine(printedEvent(table, event));
}

/** Writes the text of the event, in which the files that it names are links; nothing if people need not see the event. */
export function writeEvent<Table extends EventTable>(
  table: Table,
  event: EventsOf<Table>,
  stream: NodeJS.WriteStream,
): void {
  const text = eventText(table, event);
  if (text !== '') writeMessage(stream, `${text}\n`, eventPaths(table, event));
}

/** An object that is not an event, such as the answer of `limits`. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
