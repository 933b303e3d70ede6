/** The lines of the progress bars at every width. */
import fc from 'fast-check';
import stringWidth from 'string-width';
import { glyphsFor } from '../../../src/cli/output/glyphs.js';
import { progressLine, spinnerLine, type Progress } from '../../../src/cli/output/progress-line.js';
import type { CurrentWait } from '../../../src/cli/output/sentences.js';

const glyphs = glyphsFor({ LANG: 'en_US.UTF-8' });
const ascii = glyphsFor({ LANG: 'C' });

const CHAPTER: Progress = {
  label: { number: 'Ch. 12.5', title: 'The Very Long Name of a Chapter That Never Ends' },
  done: 9,
  total: 24,
  bytesPerSecond: 1_234_000,
  leftMs: 12_000,
};
const BATCH: Progress = {
  label: { number: 'chapters', title: '' },
  done: 40,
  total: 1_680,
  bytesPerSecond: 1_234_000,
  leftMs: 41 * 60_000,
};
const WAIT: CurrentWait = {
  for: 'quota',
  limit: { endpoint: 'GET /at-home/server/{id}', requests: 40, periodMs: 60_000 },
  leftMs: 46_300,
};

describe('at 80 columns', () => {
  const at80 = (progress: Progress) => progressLine(progress, { columns: 80, glyphs });

  test('a chapter shows its number, a shortened title, the rate and the time left', () => {
    expect(at80(CHAPTER)).toBe(
      'Ch. 12.5 The Very Long Nam…  ██████░░░░░░░░░  9/24  1.2 MB/s  12 s left',
    );
  });

  test('the batch shows how long it will take', () => {
    expect(at80(BATCH)).toBe(
      'chapters                     ░░░░░░░░░░░░░░░  40/1680  1.2 MB/s  41 min left',
    );
  });

  test('a wait has its time and its reason in place of the rate, and the label gives way to it', () => {
    expect(at80({ ...CHAPTER, leftMs: undefined, wait: WAIT })).toBe(
      'Ch. 12.5 The Very Long Nam…  ███░░░░░  9/24  waiting 47 s: 40 chapters a minute',
    );
    expect(at80({ ...BATCH, wait: WAIT })).toBe(
      'chapters       ░░░░░░  40/1680  41 min left, waiting 47 s: 40 chapters a minute',
    );
    expect(at80({ ...CHAPTER, wait: { for: 'outage', leftMs: 1 } })).toContain(
      'waiting 1 s: outage',
    );
  });
});

describe('at 40 columns', () => {
  const at40 = (progress: Progress) => progressLine(progress, { columns: 40, glyphs });

  test('a chapter shows its number and the percentage', () => {
    expect(at40(CHAPTER)).toBe('Ch. 12.5       ███████░░░░░░░░░░░   37%');
  });

  test('a wait is counted down', () => {
    expect(at40({ ...BATCH, wait: WAIT })).toBe('chapters       ░░░░░░    2%  waits 47 s');
  });

  test('a chapter without a number shows its title', () => {
    expect(at40({ ...CHAPTER, label: { number: '', title: 'Oneshot' } })).toMatch(/^Oneshot +█/);
  });
});

test('at 200 columns more of the title is shown', () => {
  expect(progressLine(CHAPTER, { columns: 200, glyphs })).toMatch(
    /^Ch\. 12\.5 The Very Long Name of a Chapter That Never Ends {5} █{11}░{19} {2}9\/24/,
  );
});

test('a locale without other characters gets ASCII', () => {
  const line = progressLine({ ...CHAPTER, wait: WAIT }, { columns: 80, glyphs: ascii });
  expect(line).toMatch(/^[ -~]+$/);
  expect(line).toContain('##....');
  expect(spinnerLine('resolving', 3, WAIT, { columns: 80, glyphs: ascii })).toMatch(/^[ -~]+$/);
});

test('the spinner turns, says what is being done, and what it waits for', () => {
  const format = { columns: 80, glyphs };
  expect(spinnerLine('resolving the targets', 0, undefined, format)).toBe(
    '⠋ resolving the targets',
  );
  expect(spinnerLine('resolving the targets', 11, WAIT, format)).toBe(
    '⠙ resolving the targets, waiting 47 s: 40 chapters a minute',
  );
});

test('no line is wider than the terminal, whatever it shows', () => {
  const progress = fc.record(
    {
      label: fc.record({
        number: fc.string({ maxLength: 30 }),
        title: fc.string({ unit: 'grapheme', maxLength: 80 }),
      }),
      done: fc.nat(30_000),
      total: fc.nat(30_000),
      bytesPerSecond: fc.nat(),
      leftMs: fc.nat(),
      wait: fc.record({
        for: fc.constantFrom('rate' as const, 'outage' as const, 'lock' as const),
        leftMs: fc.nat(),
      }),
    },
    { requiredKeys: ['label', 'done', 'total'] },
  );
  const printable = (line: string) => line.replace(/\p{Cc}/gu, '');
  fc.assert(
    fc.property(progress, fc.integer({ min: 25, max: 250 }), (one, columns) => {
      for (const set of [glyphs, ascii]) {
        const line = progressLine(one, { columns, glyphs: set });
        expect(stringWidth(printable(line))).toBeLessThan(columns);
        const spinner = spinnerLine(one.label.title, 1, one.wait, { columns, glyphs: set });
        expect(stringWidth(printable(spinner))).toBeLessThan(columns);
      }
    }),
  );
});
