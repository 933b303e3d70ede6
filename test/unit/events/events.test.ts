/** The table of events: its rows are complete, and only its fields are printed. */
import { EVENTS, eventsByCommand, listedFields } from '../../../src/events/events.js';
import type { EventTable } from '../../../src/events/fields.js';
import { eventLines, printedEvent } from '../../../src/events/printed-event.js';
import { DOWNLOAD_EVENTS } from '../../../src/events/download-events.js';
import { OVERVIEW_EVENTS } from '../../../src/events/overview-events.js';
import { ChapterError } from '../../../src/core/errors.js';
import { eventProblems, fieldProblems } from '../../support/event-check.js';

const ROWS = Object.entries<EventTable>(EVENTS).flatMap(([command, table]) =>
  Object.entries(table).map(([type, row]) => [command, type, row] as const),
);

test.each(ROWS)('%s, %s: the example has the fields of the row', (_command, type, row) => {
  expect(fieldProblems(row.fields, row.example)).toEqual([]);
  expect(eventProblems({ type, ...row.example })).toEqual([]);
});

test.each(ROWS)('%s, %s: its meaning and its fields have sentences', (_command, _type, row) => {
  for (const sentence of [
    row.meaning,
    ...listedFields(row.fields).map(({ field }) => field.sentence),
  ])
    expect(sentence).toMatch(/^[A-Z`].*[.]$/);
});

test('each event is listed once, with the first command that prints it', () => {
  const listed = eventsByCommand().flatMap(({ events }) => events);
  const rows = new Set(ROWS.map(([, , row]) => row));
  expect(listed).toHaveLength(rows.size);
  const printed = eventsByCommand().flatMap(({ command, events, others }) =>
    [...events.map(({ type }) => type), ...others].map((type) => `${command}: ${type}`),
  );
  expect(printed.sort()).toEqual(ROWS.map(([command, type]) => `${command}: ${type}`).sort());
});

test('what has no field in the table, and an error, are not printed, in lists of objects either', () => {
  const { example: failed } = DOWNLOAD_EVENTS['chapter-failed'];
  const printed = { type: 'chapter-failed' as const, ...failed };
  const error = new ChapterError('chapter-not-found', 'Chapter not found.');
  const emitted = { ...printed, error, internal: 'x' };
  expect(printedEvent(DOWNLOAD_EVENTS, emitted)).toEqual(printed);
  const { example } = OVERVIEW_EVENTS['title-overview'];
  const missing = example.missing.map((each) => ({ ...each, internal: 'x' }));
  const title = { type: 'title-overview' as const, ...example, missing };
  expect(printedEvent(OVERVIEW_EVENTS, title)).toEqual({ type: 'title-overview', ...example });
});

test('the sentence of an event has a line for each thing that it says', () => {
  const { example } = DOWNLOAD_EVENTS['chapter-saved'];
  const event = {
    type: 'chapter-saved' as const,
    ...example,
    kept: ['title'],
    replacedFile: 'b.cbz',
  };
  expect(eventLines(DOWNLOAD_EVENTS, event)).toEqual([
    'saved: Endless Stairs Vol. 2 Ch. 7 "Fog" [Tidewater Scans + Paper Lantern] (en), 24 pages, 9.9 MB',
    '  kept: title',
    '  renamed from b.cbz',
  ]);
});

test('an event that lacks a field, has a further one or another kind of value is noticed', () => {
  const { example } = DOWNLOAD_EVENTS['page-failed'];
  const event = { type: 'page-failed', ...example };
  const { page, ...without } = event;
  expect(eventProblems(without)).toEqual(['page is missing']);
  expect(eventProblems({ ...event, internal: 1 })).toEqual(['internal has no field']);
  expect(eventProblems({ ...event, reason: 'bad-luck' })).toEqual([
    'reason is not a word: bad-luck',
  ]);
  expect(eventProblems({ type: 'page-lost' })).toEqual(['no event is called page-lost']);
  expect(page).toBe(5);
});
