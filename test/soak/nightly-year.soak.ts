/**
 * A year of nightly runs while share, hooks, keychain, session, service and clock fail in turns: every expected chapter is
 * there and announced once, and the log has only news, what needs the owner, and one line for each run.
 */
import {
  OWNER_LOGS_IN,
  runNightlyYear,
  type Night,
  type YearResult,
} from '../support/nightly-year.js';

let year: YearResult;
beforeAll(async () => {
  year = await runNightlyYear(1);
});

const sorted = (ids: readonly string[]) => [...ids].sort();

test('every expected chapter is on the disks, once, and nothing else', () => {
  expect(year.expected.length).toBeGreaterThan(100);
  expect(sorted(year.saved)).toEqual(sorted(year.expected));
  expect(year.violations).toEqual([]);
});

test('every chapter was announced once, and those that others replaced too', () => {
  const announced = new Set(year.announced);
  expect(announced.size).toBe(year.announced.length);
  expect(year.expected.filter((id) => !announced.has(id))).toEqual([]);
  expect(year.announced).toHaveLength(year.expected.length + 2);
});

test('the series that ended, and was rated again, is so in all its files', () => {
  const { series, comicInfos } = year.alpha;
  expect(series).toMatchObject({ metadata: { status: 'Ended' } });
  expect(comicInfos.length).toBeGreaterThan(5);
  for (const info of comicInfos) expect(info).toContain('<AgeRating>X18+</AgeRating>');
});

const OF_RUN = /^(?:\d+ titles checked in|Stopped after) /;
const NEWS = [
  /^(?:Alpha|Beta|Gamma|Delta): (?:\d+ (?:new|replaced)\b|.* changed on MangaDex; \d+ files written$)/,
  /^series metadata saved: /,
  /^skipped: .*: uploaded again; /,
  /: pages$/,
  /^ {2}renamed from /,
];
const FOR_THE_OWNER = /^(?:error|warning|hint): /;
const isNews = (line: string) => NEWS.some((pattern) => pattern.test(line));
const needsOwner = ({ night, faults }: Night) =>
  faults.length > 0 || (night > 180 && night < OWNER_LOGS_IN);

test('the log has one line for each run, and others only for news and for what needs the owner', () => {
  for (const each of year.nights) {
    const { night, stderr } = each;
    const ofRun = stderr.filter((line) => OF_RUN.test(line));
    const others = stderr.filter((line) => !OF_RUN.test(line) && !isNews(line));
    const unknown = others.filter((line) => !FOR_THE_OWNER.test(line) || !needsOwner(each));
    const said = stderr.filter((line) => !line.startsWith('hint: '));
    const repeated = said.filter((line, index) => said.indexOf(line) !== index);
    expect({ night, ofRun: ofRun.length, unknown, repeated }).toEqual({
      night,
      ofRun: 1,
      unknown: [],
      repeated: [],
    });
  }
  const all = year.nights.flatMap(({ stderr }) => stderr);
  expect(all.filter((line) => line.includes('uploaded again'))).toHaveLength(1);
  expect(all.filter((line) => line.includes(' changed on MangaDex'))).toHaveLength(2);
});

test('a night in which nothing happened has a single line, and no server scans', () => {
  const calm = year.nights.filter(({ night, hasNews }, index) => {
    const around = year.nights.slice(Math.max(0, index - 1), index + 1);
    return night > 1 && night !== OWNER_LOGS_IN && !hasNews && !around.some(needsOwner);
  });
  expect(calm.length).toBeGreaterThan(150);
  for (const { night, code, stdout, stderr, scans } of calm)
    expect({ night, code, stdout, stderr, scans }).toEqual({
      night,
      code: 0,
      stdout: [],
      stderr: [expect.stringMatching(/^4 titles checked in [^:]*: 0 new chapters\.$/)],
      scans: [],
    });
});
