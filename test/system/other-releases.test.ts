/** `download <chapter>` of another release of a saved chapter asks at a real terminal: both, replace, or nothing. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLibrary, uuidOf } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { PROGRAM, tankobon } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { TmuxTerminal } from '../support/tmux.js';
import { chapter, title } from '../support/title-library.js';

const OTHERS = [{ id: uuidOf('other group'), name: 'Others' }];
const first = chapter('one', '1');
const other = chapter('one', '1', { id: uuidOf('other'), groups: OTHERS });
const [SAVED, NEW] = ['Name Ch.001 [Scans].cbz', 'Name Ch.001 [Others].cbz'];

describeWith('another release of a saved chapter', { programs: ['tmux'] }, () => {
  let service: PracticeService;
  let folder: string;
  let terminal: TmuxTerminal | undefined;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-other-'));
    const titles = [title('one', 'Name')];
    service = await startPracticeService({
      library: createLibrary({ titles, chapters: [first, other] }),
    });
    const saved = await tankobon(['download', first.id, '-o', join(folder, 'comics')], {
      env: env(),
    });
    expect(saved.code).toBe(0);
  });
  afterEach(async () => {
    await terminal?.stop();
    await service.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const env = () => ({ ...service.environment, TANKOBON_HOME: join(folder, 'home') });
  const files = () => readdirSync(join(folder, 'comics/Name')).sort();

  async function ask(columns: number): Promise<TmuxTerminal> {
    terminal = await TmuxTerminal.start({ columns, cwd: folder, env: env() });
    await terminal.typeAlone(`${process.execPath} ${PROGRAM} download ${other.id} -o comics`);
    await terminal.until((screen) => screen.replace(/\s+/g, ' ').includes('Keep which?'));
    return terminal;
  }

  test.each([
    ['both', 80, [], [NEW, SAVED]],
    ['replace', 40, ['Down'], [NEW]],
    ['nothing', 40, ['Down', 'Down'], [SAVED]],
  ] as const)('%s, at %i columns', async (answer, columns, keys, expected) => {
    const asked = await ask(columns);
    const screen = await asked.screen();
    for (const choice of ['both, in two', 'replace: the', 'nothing: only'])
      expect(screen).toContain(choice);
    for (const key of keys) await asked.press(key);
    await asked.press('Enter');
    const after = await asked.ended();
    expect(after.replace(/\s+/g, ' ')).toContain(`Keep which? ${answer}`);
    expect(files()).toEqual([...expected].sort());
    const words = ['download', other.id, '-o', 'comics', '--dry-run', '--json'];
    const { stdout } = await tankobon(words, { env: env(), cwd: folder });
    expect(stdout.includes('"already-there"')).toBe(answer !== 'nothing');
  });

  test('Ctrl-C leaves the saved file alone', async () => {
    const asked = await ask(80);
    await asked.press('C-c');
    expect(await asked.ended()).toContain('Cancelled.');
    expect(files()).toEqual([SAVED]);
  });
});
