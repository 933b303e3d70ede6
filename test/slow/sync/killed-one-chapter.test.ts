/** A sync that is killed at a change of a file, while the number alone does not say what may be replaced. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { start } from '../../support/command.js';
import { IS_LONG_RUN } from '../../support/long-run.js';
import { ONE_CHAPTER_ROWS } from '../../support/one-chapter-rows.js';
import { DAY_MS } from '../../support/sync-harness.js';
import { expectedIn, TitleHistories } from '../../support/title-history.js';

const HOOK = new URL('../../support/workers/kill-hook.js', import.meta.url).href;
/** Each run takes other changes. */
const KILLS = IS_LONG_RUN ? 8 : 1;

/** Kills the run of the second step, and looks at the run after it. */
async function killSecondStep(title: string, killAt: number) {
  const histories = await TitleHistories.start('upgrade', {
    [title]: ONE_CHAPTER_ROWS[title] ?? [],
  });
  try {
    const { harness } = histories;
    const [, step] = histories.histories[title] ?? [];
    if (!step) throw new Error(title);
    await histories.runStep(0);
    histories.change(title, step);
    histories.writeSubscriptions();
    const count = join(harness.base.folder, 'changes');
    const { signal } = await start(['sync', '--file', harness.file], {
      env: {
        ...harness.service.environment,
        TANKOBON_HOME: join(harness.base.folder, 'home'),
        NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${HOOK}`,
        KILL_AT: String(killAt),
        KILL_COUNT: count,
      },
    }).finished;
    harness.clock.advance(8 * DAY_MS);
    await histories.runOnce();
    expect({ killAt, saved: histories.resultsOf(title).at(-1)?.saved }).toEqual({
      killAt,
      saved: expectedIn(step.saved, 'upgrade'),
    });
    return signal === 'SIGKILL' ? undefined : Number(readFileSync(count, 'utf8'));
  } finally {
    await histories.stop();
  }
}

test.each([
  'a deleted chapter, and its number in a later volume',
  'a group that is excluded later',
])(
  '%s: the run after a kill ends as one without',
  async (title) => {
    const changes = await killSecondStep(title, Infinity);
    if (changes === undefined) throw new Error('killed');
    for (let kill = 0; kill < KILLS; kill += 1)
      await killSecondStep(title, 1 + Math.floor(((kill + Math.random()) / KILLS) * changes));
  },
  600_000,
);
