/** The maximum outage as an option, a setting and an option of the library, and the message during an outage. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { EVENTS } from '../../../src/events/events.js';
import { downloadChapters } from '../../../src/index.js';
import { tankobonHere } from '../../support/in-process.js';
import { virtualClock } from '../../support/virtual-clock.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0091';
const OTHER = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0092';

let folder: string;
let service: PracticeService | undefined;
let env: Record<string, string>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-max-outage-'));
  env = { TANKOBON_HOME: join(folder, 'home') };
});
afterEach(async () => {
  await service?.stop();
  service = undefined;
  rmSync(folder, { recursive: true, force: true });
});

test('a value that is not a duration is exit 2, with an example', async () => {
  const flag = await tankobonHere(['download', ID, '--max-outage', 'soon'], { env });
  expect([flag.code, flag.stderr]).toEqual([2, expect.stringContaining('90s, 10m or 1h')]);
  const setting = await tankobonHere(['config', 'set', 'maxOutage', '1 week'], { env });
  expect([setting.code, setting.stderr]).toEqual([2, expect.stringContaining('90s, 10m or 1h')]);
});

test('the setting accepts a duration', async () => {
  expect((await tankobonHere(['config', 'set', 'maxOutage', '1h'], { env })).code).toBe(0);
  expect((await tankobonHere(['config', 'get', 'maxOutage'], { env })).stdout.trim()).toBe('1h');
});

test('the library rejects an invalid duration before anything is sent', async () => {
  const events = downloadChapters([ID], { env, output: folder, maxOutage: 'soon' });
  await expect(events.next()).rejects.toMatchObject({ code: 'bad-option' });
});

test('a message says why the download waits, and until when', async () => {
  const chapters = [ID, OTHER].map((id, index) =>
    generateChapter({ id, pages: 2, bytesPerPage: 2_000, seed: index + 1 }),
  );
  const clock = virtualClock();
  const started = await startPracticeService({ chapters, specificationOnly: true, clock });
  const reset = { status: 0, delivery: { how: 'reset' } } as const;
  // All requests are reset for four seconds, from the one for the second chapter on.
  const first = started.intercept(`/at-home/server/${OTHER}`, () => {
    first();
    const takeBack = started.intercept('/', () => reset);
    void clock.sleep(4_000).then(takeBack);
    return reset;
  });
  service = started;
  const words = ['download', ID, OTHER, '-o', join(folder, 'shelf')];
  const { code, stderr } = await tankobonHere(words, {
    env: { ...env, ...started.environment },
    clock,
  });
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^waiting until .*\d\d:\d\d:\d\d \S+: the service cannot be reached \(outage\)$/m,
  );
  expect(stderr).toMatch(/^2 saved;/m);
});

test('with --json, a dry run prints each event that the table of events says, waits too', async () => {
  const chapters = [generateChapter({ id: ID, pages: 2, bytesPerPage: 2_000, seed: 1 })];
  const clock = virtualClock();
  const started = await startPracticeService({ chapters, specificationOnly: true, clock });
  const first = started.intercept('/chapter', () => {
    first();
    return { status: 429, headers: { 'retry-after': '20' } };
  });
  service = started;
  const { code, stdout } = await tankobonHere(['download', ID, '--dry-run', '--json'], {
    env: { ...env, ...started.environment },
    clock,
  });
  expect(code).toBe(0);
  const types = stdout.trimEnd().split('\n').map(typeOf);
  expect(types).toEqual(['waiting', 'planned', 'plan']);
  expect(Object.keys(EVENTS['download --dry-run'])).toEqual(expect.arrayContaining(types));
});

const typeOf = (line: string) => (JSON.parse(line) as { readonly type: string }).type;
