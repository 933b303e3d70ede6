/** What a run says: its news, what needs the owner, and one line for the run; each sentence holds where it is said. */
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { interruptedError } from '../../../src/core/errors.js';
import { takeDownChapter, uuidOf } from '../../../src/practice-server/library/library.js';
import { readArchive, writeArchive } from '../../support/archive.js';
import { tankobonHere } from '../../support/in-process.js';
import {
  chapterId,
  DAY_MS,
  HOUR_MS,
  syncChapter,
  SyncHarness,
  syncLibrary,
  titleId,
} from '../../support/sync-harness.js';

const MINUTE_MS = 60_000;

let harness: SyncHarness;
afterEach(() => harness.stop());

async function start(keys: string): Promise<void> {
  harness = await SyncHarness.start((nowMs) => syncLibrary(['Alpha'], nowMs - 9 * HOUR_MS));
  harness.write(`series:\n  - { target: 'title:${titleId('Alpha')}', language: [en]${keys} }\n`);
  await harness.sync();
  harness.clock.advance(DAY_MS);
}

const upload = (number: string, change: Parameters<typeof syncChapter>[3]): void => {
  const readableMs = harness.clock.wallMs() - HOUR_MS;
  harness.service.library.putChapter(syncChapter('Alpha', number, readableMs, change));
};

test('uploads in languages that the subscription does not name are not in the report', async () => {
  await start('');
  upload('1', { group: 'Grupo', translatedLanguage: 'es' });
  upload('3', { group: 'Groupe', translatedLanguage: 'fr' });
  const { stdout, stderr } = await harness.text();
  expect(stdout).toBe('');
  expect(stderr).toBe('1 title checked in 0 s: 0 new chapters.\n');
});

test('a file without subscriptions is named: one that lost them would look like one that is up to date', async () => {
  await start('');
  const { file, base, clock } = harness;
  const env = { ...harness.service.environment, TANKOBON_HOME: `${base.folder}/home` };
  const words = ['sync', 'list', '--file', file];
  expect((await tankobonHere(words, { env, clock })).stderr).toBe('');
  writeFileSync(file, '');
  const warning = `warning: There are no subscriptions in the file: ${file}\nhint: Run: tankobon sync add`;
  const { code, stderr } = await harness.text();
  expect([code, stderr]).toEqual([0, expect.stringContaining(warning)]);
  expect((await tankobonHere(words, { env, clock })).stderr).toContain(warning);
});

test('with upgrade, a file of another program is not said to be replaced by upgrade', async () => {
  await start(', upgrade: true');
  const [file = ''] = harness.base.archives();
  const entries = await readArchive(file);
  rmSync(file);
  await writeArchive(file, Object.fromEntries(entries.map(({ name, bytes }) => [name, bytes])));
  harness.service.library.removeChapter(chapterId('Alpha', '1'));
  upload('1', { group: 'Scans II' });
  const { stderr } = await harness.text();
  expect(stderr).toContain(
    `skipped: ${file}: uploaded again; the file of the older upload stays, since it is a link, or of another program or user\n`,
  );
});

test('--quiet prints nothing if all is well, and what is reported once or needs a person', async () => {
  await start('');
  upload('3', {});
  expect(await harness.text({ quiet: true })).toMatchObject({ code: 0, stderr: '' });
  const [first = '', second = ''] = harness.base.archives();
  rmSync(first);
  truncateSync(second, 500);
  const { library } = harness.service;
  const third = library.chapter(chapterId('Alpha', '3'));
  if (third) library.putChapter(takeDownChapter(third));
  const official = { externalUrl: 'https://publisher.example/4' };
  library.putChapter(syncChapter('Alpha', '4', harness.clock.wallMs(), official, 0));
  harness.clock.advance(HOUR_MS);
  const { code, stdout, stderr } = await harness.text({ quiet: true });
  expect([code, stdout]).toEqual([0, '']);
  const messages = [
    'Alpha: 1 chapter skipped: downloaded before, but not in the folder any more',
    `${second} is damaged: its end is lost.`,
    'skipped: Alpha Ch. 3 [Scans] (en): taken down, or without pages',
    "skipped: Alpha [Scans] (en): Ch. 4 is only on the publisher's site",
  ];
  for (const message of messages) expect(stderr).toContain(message);
  expect(stderr).not.toContain('new chapter');
});

/** What `--every 6h` prints in runs of which each has its own subscriptions. */
async function everySixHours(series: readonly string[]): Promise<string> {
  const { clock } = harness;
  const stop = new AbortController();
  const passTime = async () => {
    for (const text of series) {
      harness.write(text);
      clock.advance(7 * HOUR_MS);
      await clock.sleep(MINUTE_MS);
    }
    stop.abort(interruptedError());
  };
  const passing = passTime();
  const { code, stderr } = await harness.text({ every: '6h' }, { signal: stop.signal });
  await passing;
  expect(code).toBe(0);
  return stderr;
}

test('with --every, the hint for a failure is printed once while it stays the same', async () => {
  await start('');
  const gone = `series:\n  - { target: 'title:${titleId('Gone')}' }\n`;
  const stderr = await everySixHours([gone, gone, gone]);
  expect(stderr.split('error: Title not found').length).toBeGreaterThan(3);
  expect(stderr.split('hint: If MangaDex deleted it, end the subscription')).toHaveLength(2);
});

test('with --every, a file that lost its subscriptions is named once', async () => {
  await start('');
  const stderr = await everySixHours([
    `series:\n  - { target: 'title:${titleId('Alpha')}' }\n`,
    '# none\n',
    '# none\n',
  ]);
  expect(stderr.split('0 titles checked').length).toBeGreaterThan(2);
  expect(stderr.split('warning: There are no subscriptions in the file')).toHaveLength(2);
});

test('a list that is gone and a title in a list that is gone are named with what ends the failure', async () => {
  const list = {
    id: uuidOf('list', 'Mine'),
    name: 'Mine',
    visibility: 'public',
    titleIds: [titleId('Gone')],
  } as const;
  harness = await SyncHarness.start((nowMs) => syncLibrary([], nowMs, {}, [list]));
  const gone = uuidOf('list', 'Gone');
  harness.write(`series:\n  - { target: 'list:${gone}' }\n  - { target: 'list:${list.id}' }\n`);
  const { code, stderr } = await harness.text();
  expect(code).toBe(3);
  expect(stderr).toContain(`error: List not found, or private: ${gone}\n`);
  expect(stderr).toContain(
    `hint: If it was deleted, end the subscription: tankobon sync remove list:${gone} --file ${harness.file}`,
  );
  expect(stderr).toContain(`error: Title not found: ${titleId('Gone')}\n`);
  expect(stderr).toContain('hint: If MangaDex deleted it, remove it from the list that has it, or');
  expect(stderr).not.toContain('tankobon sync remove title:');
  harness.write(
    `series:\n  - { target: 'list:${list.id}' }\n  - { target: 'title:${titleId('Gone')}', paused: true }\n`,
  );
  expect((await harness.text()).code).toBe(0);
});

test('that a chapter waits for its group is printed once while it waits, and by each dry run', async () => {
  await start(", group: [Scans], wait-for-group: '9d'");
  upload('3', { group: 'Others' });
  const waits = ({ stderr }: { readonly stderr: string }) =>
    stderr.split('Ch. 3 [Others] (en): waits for its group until').length - 1;
  expect(waits(await harness.text())).toBe(1);
  upload('4', {});
  expect(waits(await harness.text({ dryRun: true }))).toBe(1);
  expect(waits(await harness.text())).toBe(0);
});
