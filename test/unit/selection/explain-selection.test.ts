/** What is said where nothing matches a selection, and where a group is unknown. */
import type { Chapter } from '../../../src/service/chapters.js';
import {
  explainEmptySelection,
  explainUnknownGroups,
} from '../../../src/selection/explain-selection.js';
import { parseTimeBound } from '../../../src/config/time-bound.js';
import { parseRanges } from '../../../src/config/ranges.js';

const chapter = (number: string | undefined, group = 'Tidewater Scans', volume?: string) =>
  ({ number, volume, groups: [{ id: group, name: group }] }) as unknown as Chapter;

const explain = (
  options: { languages?: readonly string[]; chapters?: string; volumes?: string },
  chapters: readonly Chapter[],
  total?: number,
) =>
  explainEmptySelection({
    titleName: undefined,
    options: {
      languages: options.languages ?? [],
      groups: [],
      ...(options.chapters && { chapters: parseRanges(options.chapters, '--chapters') }),
      ...(options.volumes && { volumes: parseRanges(options.volumes, '--volumes') }),
    },
    chapters,
    total,
    languages: ['pt-br', 'en'],
  });

test('a language that the title does not have', () => {
  expect(explain({ languages: ['de'] }, [], 1_680)).toBe(
    '0 of 1,680 releases match --language de; available: en, pt-br',
  );
  expect(explain({ languages: ['de', 'fr'] }, [])).toBe(
    'no releases match --language de,fr; available: en, pt-br',
  );
});

test('chapters and volumes beyond the last', () => {
  const chapters = [chapter('840', 'A', '9'), chapter('9', 'A', '84'), chapter(undefined)];
  expect(explain({ chapters: '900' }, chapters)).toBe(
    '0 of 3 releases match --chapters 900; the last chapter is 840',
  );
  expect(explain({ languages: ['en'], chapters: '900', volumes: '99' }, chapters)).toBe(
    '0 of 3 releases match --language en --chapters 900 --volumes 99; the last chapter is 840, the last volume is 84',
  );
  expect(explain({ volumes: '2' }, [chapter('1')])).toBe(
    '0 of 1 release matches --volumes 2; no volume has a number',
  );
});

test('dates and excluded groups, with those that there are', () => {
  const chapters = ['2024-03-08', '2024-01-05'].map((day) => ({
    ...chapter(day),
    readableAt: new Date(day),
  }));
  const selection = { languages: [], groups: [], excludedGroups: ['tidewater scans', 'Other'] };
  const empty = { titleName: undefined, chapters, languages: [] };
  expect(
    explainEmptySelection({
      ...empty,
      options: { ...selection, since: parseTimeBound('2 weeks') },
    }),
  ).toBe(
    "0 of 2 releases match --exclude-group 'tidewater scans,Other' --since '2 weeks'; " +
      'the chapters are of 2024-01-05 to 2024-03-08, the groups are: Tidewater Scans',
  );
  const until = parseTimeBound('2023-01-01');
  expect(
    explainEmptySelection({
      ...empty,
      options: { ...selection, excludedGroups: ['Other'], until },
    }),
  ).toBe('0 of 2 releases match --until 2023-01-01; the chapters are of 2024-01-05 to 2024-03-08');
});

test('a title without chapters', () => {
  expect(explain({}, [])).toBe('the title has no chapters');
});

test('an unknown group is named with the groups that there are; a known one in any case is not', () => {
  const chapters = [chapter('1'), chapter('2', 'Paper Lantern')];
  expect(explainUnknownGroups(['tidewater  scans'], chapters)).toBeUndefined();
  expect(explainUnknownGroups([], chapters)).toBeUndefined();
  expect(explainUnknownGroups(['Tidewater', 'Paper Lantern'], chapters)).toBe(
    'No chapter is by the group Tidewater; the groups are: Paper Lantern, Tidewater Scans',
  );
});
