/** Which events are printed where. */
import type { CommandContext } from '../../../src/cli/command-context.js';
import { chooseObserver } from '../../../src/cli/output/choose-observer.js';
import type { AppEvent, ObserverOptions } from '../../../src/cli/output/observer.js';
import { ChapterError } from '../../../src/core/errors.js';
import { fakeClock } from '../../support/fake-clock.js';

const EVENTS: readonly AppEvent[] = [
  { type: 'warning', message: 'The clock is wrong.' },
  { type: 'chapter-saved', chapter: 'a', file: '/comics/1.cbz', pages: 2, bytes: 9 },
  {
    type: 'chapter-failed',
    chapter: 'b',
    reason: 'page-lost',
    message: 'Page 3 failed.',
    error: new ChapterError('page-lost', 'Page 3 failed.'),
  },
  { type: 'book-saved', file: '/comics/v1.cbz', chapters: 1, pages: 2, bytes: 9 },
  { type: 'book-page', file: '/comics/v1.cbz' },
  { type: 'book-failed', file: '/comics/v2.cbz', reason: 'disk-full', message: 'No space left.' },
  {
    type: 'planned',
    title: 't',
    series: 'Alpha',
    chapter: 'c',
    number: '1',
    why: 'the only release',
  },
];

/** What is printed on each stream. */
async function printed(options: ObserverOptions, { outputIsTerminal = false } = {}) {
  const stream = (isTTY: boolean) => {
    const texts: string[] = [];
    return { texts, isTTY, write: (text: string) => texts.push(text) > 0 };
  };
  const stdout = stream(outputIsTerminal);
  const stderr = stream(false);
  const context = { stdout, stderr, env: {}, clock: fakeClock() } as unknown as CommandContext;
  const observer = await chooseObserver(options, context);
  for (const event of EVENTS) observer.observe(event);
  observer.close();
  return { stdout: stdout.texts.join(''), stderr: stderr.texts.join('') };
}

const RESULTS = '/comics/1.cbz\n/comics/v1.cbz\nAlpha  Ch. 1  no group  the only release\n';

test('the paths of saved files go to standard output, also when only messages go to a file', async () => {
  for (const outputIsTerminal of [false, true]) {
    const { stdout, stderr } = await printed({}, { outputIsTerminal });
    expect(stdout).toBe(RESULTS);
    expect(stderr).toBe(
      'warning: The clock is wrong.\n' + 'failed: b: Page 3 failed.\nerror: No space left.\n',
    );
  }
});

test('--quiet keeps results, warnings and errors, those of books too', async () => {
  for (const outputIsTerminal of [false, true])
    expect(await printed({ quiet: true }, { outputIsTerminal })).toEqual({
      stdout: RESULTS,
      stderr:
        'warning: The clock is wrong.\n' + 'failed: b: Page 3 failed.\nerror: No space left.\n',
    });
});

test('--json prints each event but those of single pages of books, and warnings to both streams', async () => {
  const { stdout, stderr } = await printed({ json: true });
  expect(stderr).toBe('warning: The clock is wrong.\n');
  const types = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as AppEvent).type);
  expect(types).toEqual(EVENTS.map(({ type }) => type).filter((type) => type !== 'book-page'));
});
