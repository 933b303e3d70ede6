/** `sync`, with and without upgrade, of titles in which the number alone does not say what is one chapter. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ONE_CHAPTER_ROWS } from '../../support/one-chapter-rows.js';
import { testOneChapterRows } from '../../support/one-chapter-tests.js';
import { runCommand } from '../../support/retag-harness.js';
import { DAY_MS, titleId } from '../../support/sync-harness.js';
import { releaseId, TitleHistories, type Mode, type Step } from '../../support/title-history.js';

describe('sync', () => {
  testOneChapterRows('sync');
});

describe('sync with upgrade', () => {
  testOneChapterRows('upgrade');
});

async function useTitle(
  mode: Mode,
  title: string,
  act: (histories: TitleHistories) => Promise<void>,
): Promise<void> {
  const histories = await TitleHistories.start(mode, { [title]: ONE_CHAPTER_ROWS[title] ?? [] });
  try {
    await act(histories);
  } finally {
    await histories.stop();
  }
}

/** The lines of the download archive about a release, in order. */
function archiveLines({ harness }: TitleHistories, id: string): readonly string[] {
  const states = join(harness.base.folder, 'home', 'sync');
  const [state = ''] = readdirSync(states);
  const text = readFileSync(join(states, state, 'download-archive.txt'), 'utf8');
  return text.split('\n').filter((line) => line.includes(id));
}

test('the download archive says which releases were replaced, and when they are there again', async () => {
  const title = 'a preferred group that changes, and changes back';
  await useTitle('upgrade', title, async (histories) => {
    const id = releaseId(title, 'fast');
    await histories.runStep(0);
    expect(archiveLines(histories, id)).toEqual([`mangadex ${id}`]);
    await histories.runStep(1);
    expect(archiveLines(histories, id)).toEqual([`mangadex ${id}`, `replaced mangadex ${id}`]);
    await histories.runStep(2);
    expect(archiveLines(histories, id)).toEqual([
      `mangadex ${id}`,
      `replaced mangadex ${id}`,
      `mangadex ${id}`,
    ]);
  });
});

test('a file that the owner removed does not come back, also if its release replaced another one', async () => {
  const title = 'a preferred group that changes, and changes back';
  await useTitle('upgrade', title, async (histories) => {
    await histories.runStep(0);
    await histories.runStep(1);
    for (const file of histories.harness.base.archives()) rmSync(file);
    histories.harness.clock.advance(8 * DAY_MS);
    await histories.runOnce();
    expect(histories.resultsOf(title).at(-1)?.saved).toBe('');
  });
});

test('people read once what gets a release that is skipped since another one is saved', async () => {
  const title = 'another language';
  await useTitle('sync', title, async (histories) => {
    await histories.runStep(0);
    histories.change(title, { wishes: { language: ['pt-br'] }, saved: '' });
    histories.writeSubscriptions();
    const { base, clock, file } = histories.harness;
    const printed = async (): Promise<string> => {
      const { stdout, stderr } = await runCommand(base, 'sync', '--file', file);
      return stdout + stderr;
    };
    const first = await printed();
    expect(first.match(/saved in en already.*all-releases/g)).toHaveLength(1);
    clock.advance(8 * DAY_MS);
    expect(await printed()).not.toContain('skipped');
  });
});

test('a dry run plans what the run saves, also where only another language shows which chapters there are', async () => {
  const title = 'two volumes with the same numbers, which a release in another language names';
  await useTitle('sync', title, async (histories) => {
    histories.change(title, ONE_CHAPTER_ROWS[title]?.[0] ?? { saved: '' });
    histories.writeSubscriptions();
    const { lines } = await histories.harness.sync({ dryRun: true });
    const planned = lines.flatMap(({ type, chapter }) => (type === 'planned' ? [chapter] : []));
    const chapters = ['1.1', '1.2', '2.1', '2.2'].map((name) => releaseId(title, name));
    expect(planned.sort()).toEqual(chapters.sort());
  });
});

test.each(['download', 'sync'] as const)(
  '%s does without the lists of titles where they cannot be kept',
  async (mode) => {
    const title = 'two volumes with the same numbers, which a release in another language names';
    await useTitle(mode, title, async (histories) => {
      const { output, folder } = histories.harness.base;
      mkdirSync(join(folder, 'home'), { recursive: true });
      writeFileSync(join(folder, 'home', 'listings'), 'not a folder');
      await histories.runStep(0);
      expect(readdirSync(output)).toEqual([title]);
      expect(histories.resultsOf(title).at(-1)?.saved).toBe('1.1 1.2 2.1 2.2');
    });
  },
);

describe('no release is said to be left out for another one of which no file is there', () => {
  const title = 'Salt';
  const releases: Step = {
    upload: {
      slow: { number: '1', volume: '1', groups: ['Slow'], day: 499 },
      fast: { number: '1', volume: '2', groups: ['Fast'], day: 499.5 },
    },
    saved: '',
  };

  test.each([
    ['that waits for a preferred group', { group: ['Good'], 'wait-for-group': '20d' }, {}],
    ['of before the subscription', {}, { fromNow: true }],
  ])('one %s', async (_, options, flags) => {
    const histories = await TitleHistories.start('sync', { [title]: [releases] });
    try {
      histories.change(title, releases);
      const { harness } = histories;
      const series = { target: `title:${titleId(title)}`, language: ['en'], ...options };
      harness.write(`series:\n  - ${JSON.stringify(series)}\n`);
      const { code, lines } = await harness.sync(flags);
      expect(code).toBe(0);
      expect(lines.filter(({ type }) => /saved|skipped/.test(type))).toEqual([]);
    } finally {
      await histories.stop();
    }
  });
});
