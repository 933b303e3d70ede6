/** What names of bound volumes begin with, so that Kavita finds no chapter in them. */
import { hyphenedNumbers } from '../../../src/books/book-names.js';

test.each([
  ['Mob Psycho 100', 'Mob Psycho-100'],
  ['Kaiju No. 8', 'Kaiju No.-8'],
  ['Level 1 Lord 2.5', 'Level-1 Lord-2.5'],
  ['Eyes 3x3', 'Eyes-3x3'],
  ['Re:5', 'Re-5'],
  ['20th Century', '20th Century'],
  ['86', '86'],
  ['Tokyo 20th', 'Tokyo 20th'],
  ['Ongoing', 'Ongoing'],
])('%s begins the names of its volumes as %s', (series, expected) => {
  expect(hyphenedNumbers(series)).toBe(expected);
});
