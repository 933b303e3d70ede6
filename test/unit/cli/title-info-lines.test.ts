/** The names in `tankobon info`. */
import stringWidth from 'string-width';
import { titleInfoLines } from '../../../src/cli/output/title-info-lines.js';
import type { TitleInfo } from '../../../src/events/info-events.js';
import { titleInfo } from '../../../src/selection/title-info.js';

const NONE = titleInfo('id', undefined, [], {
  selection: { languages: [] },
  quality: 'data',
  nowMs: 0,
});
const namesOf = (names: TitleInfo['names'], columns?: number) => {
  const lines = titleInfoLines({ ...NONE, names }, columns).join('\n');
  return lines.split('Names, for --title-language:\n')[1]?.split('\n') ?? [];
};

const LONG = '転生したらスライムだった件 ～魔物の国の暮らし方～ '.repeat(3).trim();

test('names of wide characters are wrapped in their column, and nothing of them is cut', () => {
  const names = [
    { language: 'en', name: 'A Name' },
    { language: 'ja', name: LONG },
    { language: 'ko', name: '가'.repeat(60) },
  ];
  const lines = namesOf(names, 40);
  expect(lines[0]).toBe('  en  A Name');
  for (const line of lines) expect(stringWidth(line)).toBeLessThan(40);
  for (const line of lines.slice(1)) expect(line).toMatch(/^ {2}(ja|ko| {2}) {2}\S/);
  const text = lines.join('').replace(/^ {2}ja|[ ]/g, '');
  expect(text).toContain(LONG.replaceAll(' ', ''));
  expect(namesOf(names)).toHaveLength(3);
});

test('a single name is not a choice; of many, the rest is counted; codes and names are made printable', () => {
  const name = { language: 'x'.repeat(60), name: '\u001b[31mA\u202e' };
  expect(namesOf([name])).toEqual([]);
  const lines = namesOf(Array.from({ length: 25 }, () => name));
  expect(lines).toHaveLength(21);
  expect(lines[0]).toBe(`  ${'x'.repeat(11)}…  [31mA`);
  expect(lines[20]).toBe('  and 5 more names');
});
