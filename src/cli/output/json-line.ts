/** Lines of `--json`. */
import type { EventsOf, EventTable } from '../../events/fields.js';
import { printedEvent } from '../../events/printed-event.js';

/** An event: only the fields of its row are printed. */
export function eventLine<Table extends EventTable>(table: Table, event: EventsOf<Table>): string {
  return jsonLine(printedEvent(table, event));
}

/** An object that is not an event, such as the answer of `limits`. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
