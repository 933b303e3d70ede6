/** A title keeps its folder and its name there, whatever the service calls it later. */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COMMANDS, EitherHarness } from '../../support/either-command.js';
import { seriesOf } from '../../support/title-library.js';

describe.each(COMMANDS)('%s', (command) => {
  let harness: EitherHarness;
  afterEach(() => harness.stop());

  const move = (from: string, to: string): void => {
    mkdirSync(dirname(join(harness.output, to)), { recursive: true });
    renameSync(join(harness.output, from), join(harness.output, to));
  };
  const runWith = async (number: string, volume: string | null = null) => {
    harness.upload(number, 'Scans', { volume });
    const { code, stderr } = await harness.run();
    expect([code, stderr]).toEqual([0, '']);
    return harness.paths();
  };

  test('a renamed title keeps its folder and its name, also after the folder was moved, and without the state', async () => {
    harness = await EitherHarness.start(command, { 1: null });
    harness.rename('Aleph');
    const [, second = ''] = await runWith('2');
    expect(second).toBe('Alpha/Alpha Ch.002 [Scans].cbz');
    expect(await seriesOf(join(harness.output, second))).toBe('Alpha');
    move('Alpha', 'Finished/A');
    expect(await runWith('3')).toContain('Finished/A/Alpha Ch.003 [Scans].cbz');
    rmSync(join(harness.sync.base.folder, 'home'), { recursive: true });
    expect(await runWith('4')).toContain('Finished/A/Alpha Ch.004 [Scans].cbz');
  });

  test('a title of which only volumes are left has its books in its folder, under the name of before', async () => {
    harness = await EitherHarness.start(command, { 1: '1' }, { binds: true });
    move('Alpha', 'By Hand');
    harness.rename('Aleph');
    harness.upload('2', 'Scans', { volume: '1' });
    const paths = await runWith('3', '2');
    expect(paths.filter((path) => !path.includes('Ch.'))).toEqual([
      'By Hand/Alpha Vol.01.cbz',
      'By Hand/Alpha Vol.02.cbz',
    ]);
    expect([...new Set(paths.map((path) => dirname(path)))]).toEqual(['By Hand']);
  });
});
