/** What titles are called in a folder, beside others of the same name and after they were renamed. */
import {
  distinctNames,
  freeName,
  newTitleNames,
  seriesInPath,
} from '../../../src/plan/title-names.js';

const title = (id: string, name: string, year?: number) => ({ id: `${id}-rest`, name, year });
const first = title('11111111', 'Alpha', 2001);
const second = title('22222222', 'Alpha');
const other = title('33333333', 'Beta');

test('the first name that is free, with the year before the id, and the one with the id in any case', async () => {
  expect(await freeName(first, () => false)).toBe('Alpha');
  expect(await freeName(first, (name) => name === 'Alpha')).toBe('Alpha (2001)');
  expect(await freeName(first, () => true)).toBe('Alpha (11111111)');
  expect(await freeName(second, () => true)).toBe('Alpha (22222222)');
});

test('titles of one name are called as in their files; files of the others are not read', async () => {
  const read: string[] = [];
  const usedName = async ({ id }: { readonly id: string }) => {
    read.push(id);
    return Promise.resolve(id === second.id ? 'Alpha' : undefined);
  };
  const names = await distinctNames([first, second, other], usedName);
  expect([...names]).toEqual([
    [second.id, 'Alpha'],
    [first.id, 'Alpha (2001)'],
  ]);
  expect(read).toEqual([first.id, second.id]);
});

test('a title whose files have another name gets its own, unless a title that keeps its files has that', async () => {
  const used = new Map([
    [first.id, ['Old Name']],
    [second.id, ['Alpha']],
    [other.id, ['Beta (2001)', 'Beta']],
  ]);
  const titles = new Map([first, second, other].map((each) => [each.id, each]));
  const names = await newTitleNames(titles, { of: (id) => used.get(id) ?? [] });
  expect([...names]).toEqual([
    [first.id, 'Alpha (2001)'],
    [other.id, 'Beta'],
  ]);
});

test('a title without files, and one whose files have one of its names, is not renamed', async () => {
  const used = new Map([[first.id, ['Alpha (2001)']]]);
  const titles = new Map([first, second].map((each) => [each.id, each]));
  expect([...(await newTitleNames(titles, { of: (id) => used.get(id) ?? [] }))]).toEqual([]);
});

test('the path of a book whose content keeps its name says the new one', () => {
  expect(seriesInPath('Beta/Beta Vol.01.pdf', 'Old Name', other)).toBe('Beta');
  expect(seriesInPath('Old Name/Old Name Vol.01.pdf', 'Old Name', other)).toBe('Old Name');
  expect(seriesInPath('Mine/Volume 1.pdf', 'Old Name', other)).toBeUndefined();
});
