/** Two processes save chapters with the same names into one folder: none is lost. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readIdentity } from '../../../src/library/file.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { MODULES_URL } from '../../support/build-folders.js';
import { IS_LONG_RUN } from '../../support/long-run.js';

const CHAPTERS = IS_LONG_RUN ? 40 : 4;

const idOf = (process: number, chapter: number) =>
  `${process}d5c1b6${String(chapter % 10)}-52a3-4c4d-9d3f-7b1d2a9f${String(chapter).padStart(4, '0')}`;
const idsOf = (process: number) =>
  Array.from({ length: CHAPTERS }, (_, index) => idOf(process, index + 1));

/** Rejects when the process ends. */
async function failure(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`The worker ended with ${code ?? 'a signal'}.`);
}

let folder: string;
let service: PracticeService;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-two-'));
  const chapters = [1, 2].flatMap((process) =>
    idsOf(process).map((id, index) =>
      // The seed is the chapter's number, and so its name.
      generateChapter({ id, pages: 1, bytesPerPage: 2_000, seed: index + 1 }),
    ),
  );
  service = await startPracticeService({
    chapters,
    limits: { periodScale: 0.002, general: { requests: 5, periodMs: 10 } },
  });
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface ChapterEvent {
  readonly type: string;
  readonly file: string;
  readonly chapter: string;
}

test('two processes with the same file names lose no chapter: each file has its own', async () => {
  const output = join(folder, 'shelf');
  const events: ChapterEvent[] = [];
  const workers = await Promise.all(
    [1, 2].map(async (process) => {
      const job = {
        dist: MODULES_URL,
        addresses: service.addresses,
        ledger: join(folder, 'ledger'),
        periodScale: { general: 0.02, endpoint: 0.002 },
        chapters: idsOf(process),
        output,
      };
      const worker = resolve('test/slow/download/workers/saver.js');
      const child = fork(worker, [JSON.stringify(job)], { execArgv: [] });
      await Promise.race([once(child, 'message'), failure(child)]);
      child.on('message', (event: ChapterEvent) => events.push(event));
      return child;
    }),
  );
  const exits = workers.map((child) => once(child, 'exit'));
  for (const child of workers) child.send('go');
  expect((await Promise.all(exits)).map(([code]) => code as number)).toEqual([0, 0]);

  const saved = events.filter(({ type }) => type === 'chapter-saved');
  expect(events.filter(({ type }) => type === 'chapter-failed')).toEqual([]);
  expect(new Set(saved.map(({ file }) => file)).size).toBe(2 * CHAPTERS);
  expect(readdirSync(output).filter((name) => name.endsWith('.cbz'))).toHaveLength(2 * CHAPTERS);
  for (const { file, chapter } of saved)
    expect(await readIdentity(file)).toMatchObject({ chapterId: chapter });
  expect(readdirSync(output).filter((name) => name.startsWith('.'))).toEqual([]);
}, 300_000);
