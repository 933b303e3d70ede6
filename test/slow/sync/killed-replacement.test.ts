/** A kill at any change of a file, of a sync that replaces a release: none is lost, and each is announced. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLibrary } from '../../../src/practice-server/library/library.js';
import { startPracticeService } from '../../../src/practice-server/practice-service.js';
import { readIdentity } from '../../../src/library/file.js';
import { tankobonHere } from '../../support/in-process.js';
import { killRewound } from '../../support/kill-points.js';
import { IS_LONG_RUN } from '../../support/long-run.js';
import { startStubServer } from '../../support/stub-server.js';
import { chapterId, DAY_MS, syncChapter, syncTitle, titleId } from '../../support/sync-harness.js';
import { NO_LIMITS } from '../../support/no-limits.js';

const [OLD, NEW] = [chapterId('Alpha', '1', 'Other'), chapterId('Alpha', '1', 'Preferred')];
/** Each run takes other changes. */
const KILLS = IS_LONG_RUN ? 60 : 2;

/** Why the new release replaces the saved one: its group is preferred, or the owner pinned it. */
const WAYS = {
  'by upgrade': { options: 'group: [Preferred, Other], upgrade: true', isPinned: false },
  'by a pin': { options: 'group: [Other]', isPinned: true },
} as const;

interface SavedRelease {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly work: string;
  readonly output: string;
  /** What the webhook has received, a body in each line: it is put back with the files. */
  readonly announced: string;
}

/** Saves the old release, and calls `act` when the service has the new one. */
async function withSavedRelease(
  way: keyof typeof WAYS,
  act: (saved: SavedRelease) => Promise<void>,
): Promise<void> {
  const { options, isPinned } = WAYS[way];
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-replacement-'));
  const release = (group: string, daysAgo: number) =>
    syncChapter('Alpha', '1', Date.now() - daysAgo * DAY_MS, { group });
  const library = createLibrary({ titles: [syncTitle('Alpha')], chapters: [release('Other', 9)] });
  const service = await startPracticeService({ library, limits: NO_LIMITS });
  const webhook = await startStubServer();
  try {
    const work = join(folder, 'work');
    const [output, file] = [join(work, 'comics'), join(work, 'subscriptions.yaml')];
    const announced = join(work, 'announced');
    mkdirSync(work);
    webhook.behave(({ body }) => {
      appendFileSync(announced, `${body}\n`);
      return { status: 204 };
    });
    writeFileSync(
      file,
      `defaults: { output: ${output}, ${options} }
series: [{ target: "title:${titleId('Alpha')}" }]
hooks: { webhook: "${webhook.url}/hook" }
`,
    );
    const env = { ...service.environment, TANKOBON_HOME: join(work, 'home') };
    const words = ['sync', '--file', file];
    expect(await tankobonHere(words, { env })).toMatchObject({ code: 0 });
    service.library.putChapter(release('Preferred', 5));
    if (isPinned)
      expect(await tankobonHere(['sync', 'pin', NEW, '--file', file], { env })).toMatchObject({
        code: 0,
      });
    rmSync(announced);
    await act({ words, env, work, output, announced });
  } finally {
    await service.stop();
    await webhook.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is there after a run that may have been killed, and after the next one. */
async function expectReplaced(
  { words, env, output, announced: file }: SavedRelease,
  kill: number | undefined,
): Promise<void> {
  // One of the two is there, whenever the kill came.
  expect((await chaptersIn(output)).length).toBeGreaterThan(0);
  const found = [...(await chaptersIn(output)), ...(await chaptersIn(output, '.replaced'))];
  expect({ kill, found }).toEqual({ kill, found: expect.arrayContaining([OLD]) });
  expect(await tankobonHere(words, { env })).toMatchObject({ code: 0 });
  // Under its old and its new name, if the kill came between the two.
  const kept = new Set(await chaptersIn(output, '.replaced'));
  expect({ kill, kept }).toEqual({ kill, kept: new Set([OLD]) });
  expect({ kill, chapters: await chaptersIn(output) }).toEqual({ kill, chapters: [NEW] });
  const bodies = readFileSync(file, 'utf8').trimEnd().split('\n');
  const announced = bodies.flatMap((body) =>
    (JSON.parse(body) as { chapters: { id: string }[] }).chapters.map(({ id }) => id),
  );
  expect({ kill, announced: new Set(announced) }).toEqual({ kill, announced: new Set([NEW]) });
  expect(announced.length).toBeLessThanOrEqual(kill === undefined ? 1 : 2);
}

async function chaptersIn(output: string, ending = '.cbz'): Promise<(string | undefined)[]> {
  const names = readdirSync(output, { recursive: true, encoding: 'utf8' });
  const archives = names.filter((name) => name.endsWith(ending));
  const identities = await Promise.all(archives.map((name) => readIdentity(join(output, name))));
  return identities.map((identity) =>
    typeof identity === 'object' ? identity.chapterId : identity,
  );
}

test.each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
  'a sync that is killed while it replaces a release %s ends with the new one, announced',
  (way) =>
    withSavedRelease(way, (saved) =>
      killRewound({ ...saved, kills: KILLS }, (kill) => expectReplaced(saved, kill)),
    ),
  600_000,
);
