/** Runs that find nothing to do leave the times of files and folders as they are, since media servers scan what is new. */
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXAMPLE_TITLES } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { tankobonHere } from '../../support/in-process.js';
import { shortChapters } from '../../support/short-chapters.js';
import { virtualClock } from '../../support/virtual-clock.js';
import { longRunRows } from '../../support/long-run.js';

const TITLE = `title:${EXAMPLE_TITLES.lighthouse}`;
const LONG_AGO_S = 1_600_000_000;

const clock = virtualClock();
let service: PracticeService;
let home: string;
let output: string;
beforeEach(async () => {
  // The clock of the client runs faster than the machine.
  service = await startPracticeService({
    chapters: shortChapters(),
    clock,
    limits: { general: { requests: 10_000, periodMs: 1_000 } },
  });
  home = mkdtempSync(join(tmpdir(), 'tankobon-idle-'));
  output = join(home, 'comics');
});
afterEach(async () => {
  await service.stop();
  rmSync(home, { recursive: true, force: true });
});

const paths = () => [
  output,
  ...readdirSync(output, { recursive: true, encoding: 'utf8' }).map((name) => join(output, name)),
];
/** The times of everything in the output folder, by path. */
const times = () => Object.fromEntries(paths().map((path) => [path, statSync(path).mtimeMs]));

async function run(words: readonly string[]) {
  const env = { ...service.environment, TANKOBON_HOME: home, TANKOBON_OUTPUT: output };
  return tankobonHere([...words], { env, clock });
}

const BINDING = ['--bind', 'volume', '--keep-chapters', '--language', 'en'];

test.each<[string, string[]]>([
  [
    'download --update',
    ['download', TITLE, '--language', 'en', '--update', '--cover', 'all', '--series-metadata'],
  ],
  ['download --bind, folders', ['download', TITLE, ...BINDING, '--format', 'folder']],
  ...longRunRows<[string, string[]]>(
    ['download', ['download', TITLE, '--language', 'en', '--cover', 'all', '--series-metadata']],
    ['download --bind', ['download', TITLE, ...BINDING]],
    ['download --bind, EPUB', ['download', TITLE, ...BINDING, '--format', 'epub']],
  ),
])(
  '%s: the second run, bind, verify, retag, overview, adopt and doctor change no time',
  async (_, words) => {
    expect(await run(words)).toMatchObject({ code: 0 });
    await run(['bind', output, '--language', 'en']);
    for (const path of paths()) utimesSync(path, LONG_AGO_S, LONG_AGO_S);
    const before = times();
    for (const again of [
      words,
      ['bind', output, '--language', 'en'],
      ['verify', output, '--repair'],
      ['retag', output],
      ['overview', output],
      ['adopt', output],
      ['doctor'],
    ]) {
      await run(again);
      expect([again[0], times()]).toEqual([again[0], before]);
    }
  },
);
