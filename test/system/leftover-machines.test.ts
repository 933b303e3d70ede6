/** Two machines of one name that write to one folder: a temporary file of the other one is never taken for a leftover. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFileAtomic } from '../../src/core/files.js';
import { MODULES_URL } from '../support/build-folders.js';
import { describeWith } from '../support/requirements.js';

describeWith('a machine of the same name', { programs: ['bwrap'] }, () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-machines-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** Leaves a temporary file as a process that has ended, on a machine with this id. */
  function leaveOn(machineId: string): string {
    const id = join(folder, 'machine-id');
    writeFileSync(id, `${machineId}\n`);
    const script = `import(process.argv[1]).then(({ temporaryName }) => {
      const path = temporaryName(process.argv[2]);
      require('node:fs').writeFileSync(path, 'incomplete');
      console.log(path);
    })`;
    const own = ['--bind', '/', '/', '--dev-bind', '/dev', '/dev', '--proc', '/proc'];
    const command = [process.execPath, '-e', script, `${MODULES_URL}/core/temporary-files.js`];
    return execFileSync(
      'bwrap',
      [...own, '--ro-bind', id, '/etc/machine-id', ...command, join(folder, 'book.cbz')],
      { encoding: 'utf8' },
    ).trim();
  }

  test('its temporary files stay, since its processes cannot be seen', async () => {
    const left = leaveOn('0123456789abcdef0123456789abcdef');
    await writeFileAtomic(join(folder, 'other.cbz'), 'whole');
    expect(existsSync(left)).toBe(true);
  });
});
