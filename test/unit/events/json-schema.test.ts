/**
 * The schema of `help events --schema`. Every line of `--json` that a test of a command prints is checked against it too
 * (test/support/event-check.ts).
 */
import { EVENTS } from '../../../src/events/events.js';
import type { EventTable } from '../../../src/events/fields.js';
import { eventsJsonSchema } from '../../../src/events/json-schema.js';
import { schemaProblems } from '../../support/event-check.js';
import { tankobonHere } from '../../support/in-process.js';

const rows = Object.values<EventTable>(EVENTS).flatMap((table) => Object.entries(table));
const first = { type: 'chapter-skipped', chapter: '1', reason: 'already-there' } as const;

test('the example of each event matches, and no longer without one of its required fields or with another type', () => {
  for (const [type, { example, fields }] of rows) {
    const event = { type, ...example };
    expect([type, schemaProblems(event)]).toEqual([type, []]);
    expect(schemaProblems({ ...event, type: `${type}-not` })).not.toEqual([]);
    for (const [name, { isOptional, kind }] of Object.entries(fields)) {
      if (kind === 'error') continue;
      const { [name]: value, ...others } = example as Readonly<Record<string, unknown>>;
      // Events of one name may have other required fields in another command.
      const isShared = rows.filter(([other]) => other === type).length > 1;
      if (!isOptional && !isShared)
        expect([type, name, schemaProblems({ type, ...others })]).not.toEqual([type, name, []]);
      if (value !== undefined && !isShared)
        expect([type, name, schemaProblems({ ...event, [name]: null })]).not.toEqual([
          type,
          name,
          [],
        ]);
    }
  }
});

test.each([
  ['another word', { ...first, reason: 'because' }],
  ['a number for a text', { ...first, chapter: 1 }],
  ['no type', { chapter: '1', reason: 'already-there' }],
  ['a negative count', { type: 'page-loaded', chapter: '1', page: -1 }],
])('%s does not match', (_, event) => {
  expect(schemaProblems(event)).not.toEqual([]);
});

test('a field that a later version adds matches', () => {
  expect(schemaProblems({ ...first, later: { any: 'thing' } })).toEqual([]);
});

test('help events --schema prints it, and --schema is refused elsewhere', async () => {
  const printed = await tankobonHere(['help', 'events', '--schema'], { env: {} });
  expect(printed).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(printed.stdout)).toEqual(eventsJsonSchema());
  for (const words of [['download'], [], ['events', 'summary']])
    expect(await tankobonHere(['help', ...words, '--schema'], { env: {} })).toMatchObject({
      code: 2,
    });
});
