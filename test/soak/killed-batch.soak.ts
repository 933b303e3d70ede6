/** A batch that is killed at fifty random moments: no report lost that was due, none sent again more than once a kill. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { generateChapter } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { MAX_IN_FLIGHT } from '../../src/service/reports/sender.js';
import { start, tankobon } from '../support/command.js';
import { readArchive } from '../support/archive.js';

const KILLS = 50;
const chapters = Array.from({ length: 6 }, (_, index) =>
  generateChapter({
    id: `0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f020${index}`,
    pages: 60,
    bytesPerPage: 15_000,
    seed: index + 1,
  }),
);

let service: PracticeService;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-soak-'));
  service = await startPracticeService({
    chapters,
    specificationOnly: true,
    latencyMs: { node: 120, network: 15 },
  });
  service.injectPageFaults({
    seed: 7,
    share: 0.05,
    faults: ['status-500', 'cut-with-length', 'flipped-byte'],
  });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('killed fifty times, the batch ends whole, and the network has heard of every load', async () => {
  const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
  const output = join(folder, 'library');
  const words = [
    'download',
    '--json',
    '--no-metadata',
    '--concurrency',
    '3',
    '-o',
    output,
    ...chapters.map(({ id }) => id),
  ];
  const loaded: { page: number; chapter: string }[] = [];
  let kills = 0;
  for (let round = 0; round < KILLS; round += 1) {
    const { child, finished } = start(words, { env });
    await delay(250 + Math.random() * 1_500);
    if (child.exitCode === null) kills += 1;
    child.kill('SIGKILL');
    loaded.push(...pagesIn((await finished).stdout));
  }
  const last = await tankobon(words, { env });
  expect({ code: last.code, stderr: last.stderr }).toMatchObject({ code: 0 });
  loaded.push(...pagesIn(last.stdout));
  // A busy machine may not send all at once.
  for (let tries = 0; tries < 5; tries += 1)
    if ((await tankobon(['report-status', '--flush'], { env })).code === 0) break;

  for (const name of readdirSync(output)) await readArchive(join(output, name));
  expect(readdirSync(output)).toHaveLength(chapters.length);

  const good = new Map<string, number>();
  for (const { url, success } of service.reports)
    if (success) good.set(pageOf(url), (good.get(pageOf(url)) ?? 0) + 1);
  const names = new Map(chapters.map((chapter) => [chapter.id, chapter]));
  for (const { chapter, page } of loaded) {
    const record = names.get(chapter);
    expect(
      good.has(`${record?.hash ?? ''}/${record?.pages('data')[page - 1]?.fileName ?? ''}`),
    ).toBe(true);
  }
  // Each report that was under way at a kill may be repeated.
  const loads = service.log.filter(({ host }) => host === 'node').length;
  expect(service.reports.length).toBeLessThanOrEqual(loads + kills * MAX_IN_FLIGHT);
  expect(service.violations()).toEqual([]);
});

function pagesIn(stdout: string): { page: number; chapter: string }[] {
  return stdout.split('\n').flatMap((line) => {
    try {
      const event = JSON.parse(line) as { type: string; page: number; chapter: string };
      return event.type === 'page-loaded' ? [event] : [];
    } catch {
      // The last line of a killed process may be torn.
      return [];
    }
  });
}

/** `<hash>/<file name>`, the last two segments. */
function pageOf(url: string): string {
  return url.split('/').slice(-2).join('/');
}
