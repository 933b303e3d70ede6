/** Titles found by a search as a table. */
import { titleLines } from '../../../src/cli/output/title-table.js';
import type { Title } from '../../../src/service/titles.js';

const title = (name: string): Title =>
  ({ id: 'id', name, year: 2020, status: 'ongoing', languages: ['en'] }) as unknown as Title;

test('in a pipe, a name of 300 characters is whole, and does not make the other rows as long', () => {
  const long = 'x'.repeat(300);
  const [head = '', first, second = ''] = titleLines([title(long), title('Short')]);
  expect(first).toBe(`${long}  2020  ongoing    en         id`);
  expect([head.indexOf('year'), second.indexOf('2020')]).toEqual([62, 62]);
});
