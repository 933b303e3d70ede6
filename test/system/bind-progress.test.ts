/** What `bind` shows at a real terminal of 40, 80 and 200 columns: a bar over all books, and one line for each. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chapterId, testImage, writeChapterFile } from '../support/chapter-files.js';
import { PROGRAM } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { TmuxTerminal } from '../support/tmux.js';

/** Enough that the bar is there for seconds. */
const BOOKS = 300;

describeWith('bind in tmux', { programs: ['tmux'] }, () => {
  let folder: string;
  let terminal: TmuxTerminal;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-bind-bars-'));
    const image = await testImage('png', 100);
    for (let number = 1; number <= BOOKS; number += 1)
      await writeChapterFile(join(folder, 'in', `${number}.cbz`), {
        id: chapterId(number),
        number: String(number),
        volume: String(number),
        images: Array.from({ length: 3 }, () => image),
      });
    writeFileSync(
      join(folder, 'tankobon'),
      `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`,
      { mode: 0o755 },
    );
  });
  afterEach(async () => {
    await terminal.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  test.each([40, 80, 200])('at %i columns', async (columns) => {
    terminal = await TmuxTerminal.start({
      columns,
      cwd: folder,
      env: {
        HOME: folder,
        TANKOBON_HOME: join(folder, 'home'),
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      },
    });
    await terminal.type('tankobon bind in -o out > paths');
    const during = await terminal.until((screen) => /^books +[█░]+/m.test(screen));
    const [bar = ''] = during.split('\n').filter((row) => row.startsWith('books'));
    expect(bar).toMatch(columns < 60 ? /\d+%$/ : new RegExp(`\\d+/${BOOKS}`));
    await terminal.until((screen) => screen.includes(`${BOOKS} books saved`));
    await terminal.typeAlone('tankobon bind in -o out');
    const again = await terminal.ended();
    expect(again.trim().split('\n')).toEqual([
      '$ tankobon bind in -o out',
      `0 books saved, ${BOOKS} skipped`,
      '$',
    ]);
    expect(await terminal.modes()).toEqual({ cursor: true, wrap: true });
  });
});
