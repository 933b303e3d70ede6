/** `tankobon adopt --apply --choose` at a real terminal: it asks for files that several chapters fit. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { readComment, writeArchive } from '../support/archive.js';
import { fileDigest } from '../support/bind-harness.js';
import { PROGRAM } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { chapterId, DAY_MS, syncChapter, syncLibrary } from '../support/sync-harness.js';
import { runAtTerminal, type TerminalStep } from '../support/terminal.js';

const ESCAPE = '\u001b';
const CTRL_C = '\u0003';
const GROUPS = ['Owls', 'Larks'];

let service: PracticeService;
let folder: string;
let files: readonly string[];
beforeAll(async () => {
  const readableMs = Date.now() - DAY_MS;
  const library = syncLibrary(['Alpha'], readableMs);
  // Two groups have the same numbers, with as many pages.
  for (const number of ['5', '6'])
    for (const group of GROUPS)
      library.putChapter(syncChapter('Alpha', number, readableMs, { group }));
  service = await startPracticeService({ library });
});
afterAll(() => service.stop());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-adopt-choose-'));
  mkdirSync(join(folder, 'manga', 'Alpha'), { recursive: true });
  files = ['c005.cbz', 'c006.cbz'].map((name) => join(folder, 'manga', 'Alpha', name));
  for (const file of files)
    await writeArchive(file, { '1.jpg': Buffer.from('one'), '2.jpg': Buffer.from('two') });
  cpSync(join(folder, 'manga'), join(folder, 'before'), { recursive: true });
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function adoptAt(steps: readonly TerminalStep[]) {
  const words = ['adopt', join(folder, 'manga'), '--apply', '--choose'];
  const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
  const { code, untyped, screen } = await runAtTerminal([process.execPath, PROGRAM, ...words], {
    env,
    steps,
  });
  return { code, untyped, screen: stripVTControlCharacters(screen) };
}

async function areUnchanged(): Promise<boolean> {
  const before = files.map((file) => file.replace(join(folder, 'manga'), join(folder, 'before')));
  const digests = await Promise.all([...files, ...before].map(fileDigest));
  return digests[0] === digests[2] && digests[1] === digests[3];
}

describeWith('adopt --choose at a terminal', { programs: ['python3'] }, () => {
  test('Enter takes the chapter under the cursor, and each file has a question', async () => {
    const { code, untyped, screen } = await adoptAt([
      { awaits: 'Which chapter is c005.cbz', types: '\r' },
      { awaits: 'Which chapter is c006.cbz', types: '\r' },
    ]);
    expect([code, untyped]).toEqual([0, 0]);
    expect(screen).toContain('None of them');
    for (const [index, number] of ['5', '6'].entries()) {
      const ids = GROUPS.map((group) => chapterId('Alpha', number, group));
      const comment = await readComment(files[index] ?? '');
      expect(ids.filter((id) => comment.includes(id))).toHaveLength(1);
    }
  });

  test.each([
    ['Esc', ESCAPE],
    ['Ctrl-C', CTRL_C],
  ])('%s at the second question cancels the command, and no file changes', async (_name, key) => {
    const { code, untyped, screen } = await adoptAt([
      { awaits: 'Which chapter is c005.cbz', types: '\r' },
      { awaits: 'Which chapter is c006.cbz', types: key },
    ]);
    expect([code, untyped, screen.includes('Cancelled.')]).toEqual([130, 0, true]);
    expect(await areUnchanged()).toBe(true);
  });
});
