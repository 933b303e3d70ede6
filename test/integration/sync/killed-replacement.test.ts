/** A kill at every change of a file, of a sync that replaces a release: none is lost, and each is announced. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLibrary } from '../../../src/practice-server/library/library.js';
import { startPracticeService } from '../../../src/practice-server/practice-service.js';
import { readIdentity } from '../../../src/library/file.js';
import { start } from '../../support/command.js';
import { tankobonHere } from '../../support/in-process.js';
import { IS_LONG_RUN } from '../../support/long-run.js';
import { startMediaServers } from '../../support/media-servers.js';
import { chapterId, DAY_MS, syncChapter, syncTitle, titleId } from '../../support/sync-harness.js';

const HOOK = new URL('../../support/workers/kill-hook.js', import.meta.url).href;
const [OLD, NEW] = [chapterId('Alpha', '1', 'Other'), chapterId('Alpha', '1', 'Preferred')];
/** Each run takes other changes. */
const KILLS = IS_LONG_RUN ? Infinity : 2;

/** Why the new release replaces the saved one: its group is preferred, or the owner pinned it. */
const WAYS = {
  'by upgrade': { options: 'group: [Preferred, Other], upgrade: true', isPinned: false },
  'by a pin': { options: 'group: [Other]', isPinned: true },
} as const;

/** Kills the run at a change. Resolves with whether it was killed, and how many changes it made otherwise. */
async function replace(way: keyof typeof WAYS, killAt?: number) {
  const { options, isPinned } = WAYS[way];
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-replacement-'));
  const release = (group: string, daysAgo: number) =>
    syncChapter('Alpha', '1', Date.now() - daysAgo * DAY_MS, { group });
  const library = createLibrary({ titles: [syncTitle('Alpha')], chapters: [release('Other', 9)] });
  const service = await startPracticeService({ library });
  const servers = await startMediaServers();
  try {
    const output = join(folder, 'comics');
    const file = join(folder, 'subscriptions.yaml');
    writeFileSync(
      file,
      `defaults: { output: ${output}, ${options} }
series: [{ target: "title:${titleId('Alpha')}" }]
hooks: { webhook: "${servers.url}/hook" }
`,
    );
    const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
    const words = ['sync', '--file', file];
    expect(await tankobonHere(words, { env })).toMatchObject({ code: 0 });
    service.library.putChapter(release('Preferred', 5));
    if (isPinned)
      expect(await tankobonHere(['sync', 'pin', NEW, '--file', file], { env })).toMatchObject({
        code: 0,
      });
    const count = join(folder, 'changes');
    const killed = await start(words, {
      env: {
        ...env,
        NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${HOOK}`,
        KILL_COUNT: count,
        ...(killAt === undefined ? {} : { KILL_AT: String(killAt) }),
      },
    }).finished;
    // One of the two is there, whenever the kill came.
    expect((await chaptersIn(output)).length).toBeGreaterThan(0);
    const found = [...(await chaptersIn(output)), ...(await chaptersIn(output, '.replaced'))];
    expect({ killAt, found }).toEqual({ killAt, found: expect.arrayContaining([OLD]) });
    expect(await tankobonHere(words, { env })).toMatchObject({ code: 0 });
    // Under its old and its new name, if the kill came between the two.
    const kept = new Set(await chaptersIn(output, '.replaced'));
    expect({ killAt, kept }).toEqual({ killAt, kept: new Set([OLD]) });
    expect({ killAt, chapters: await chaptersIn(output) }).toEqual({ killAt, chapters: [NEW] });
    const announced = servers.hooks.flatMap(({ chapters }) => chapters.map(({ id }) => id));
    const times = announced.filter((id) => id === NEW).length;
    expect({ killAt, first: announced[0], isAnnounced: times > 0 }).toEqual({
      killAt,
      first: OLD,
      isAnnounced: true,
    });
    expect(times).toBeLessThanOrEqual(killAt === undefined ? 1 : 2);
    const isKilled = killed.signal === 'SIGKILL';
    return { isKilled, changes: isKilled ? 0 : Number(readFileSync(count, 'utf8')) };
  } finally {
    await service.stop();
    await servers.stop();
    rmSync(folder, { recursive: true, force: true });
  }
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
  async (way) => {
    const { changes } = await replace(way);
    const step = Math.max(1, changes / KILLS);
    let kills = 0;
    for (let killAt = 1 + Math.random() * (step - 1); killAt <= changes; killAt += step)
      if ((await replace(way, Math.floor(killAt))).isKilled) kills += 1;
    // The number of changes differs from run to run.
    expect(kills).toBeGreaterThanOrEqual(changes / step / 2);
  },
  600_000,
);
