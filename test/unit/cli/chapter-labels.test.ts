/** What progress bars call chapters. */
import { chapterLabels } from '../../../src/cli/output/progress-line.js';

type Labelled = Parameters<typeof chapterLabels>[0][number];

const chapter = (id: string, number?: string, title?: string, seriesName = 'Stairs'): Labelled =>
  ({ job: { id }, chapter: { id, number, title }, seriesName }) as Labelled;
const labels = (...chapters: Labelled[]) => [...chapterLabels(chapters).values()];

test('of one series: the number, then the title, or the name of the series', () => {
  expect(labels(chapter('a', '1', 'Day 1'), chapter('b', '2.5'), chapter('c'))).toEqual([
    { number: 'Ch. 1', title: 'Day 1' },
    { number: 'Ch. 2.5', title: 'Stairs' },
    { number: '', title: 'Stairs' },
  ]);
});

test('of several series the name of the series comes first', () => {
  expect(labels(chapter('a', '1', 'Day 1'), chapter('b', '1', 'Night', 'Cat'))).toEqual([
    { number: 'Ch. 1', title: 'Stairs: Day 1' },
    { number: 'Ch. 1', title: 'Cat: Night' },
  ]);
});

test('without metadata: the id', () => {
  const bare = { job: { id: 'an-id' }, chapter: undefined, seriesName: undefined } as Labelled;
  expect(labels(bare)).toEqual([{ number: '', title: 'an-id' }]);
});
