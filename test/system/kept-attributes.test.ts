/** Access control lists and extended attributes of files that are rewritten: set and read with the tools of the system. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readArchive, writeArchive } from '../support/archive.js';
import { describeWith } from '../support/requirements.js';
import { SharedFolder } from '../support/shared-folder.js';
import { chapterId, syncTitle, titleId } from '../support/sync-harness.js';

const LATER = '2030-01-01T00:00:00+00:00';
const NOTE = 'read twice';

function decorate(file: string): void {
  chmodSync(file, 0o640);
  execFileSync('setfacl', ['-m', 'u:12345:r', file]);
  execFileSync('setfattr', ['-n', 'user.note', '-v', NOTE, file]);
}

function decorationOf(file: string) {
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(program, [...args, file], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  return {
    list: run('getfacl', '-cpn').trim().split('\n'),
    note: run('getfattr', '--only-values', '-n', 'user.note'),
    mode: (statSync(file).mode & 0o777).toString(8),
  };
}

const KEPT = {
  list: ['user::rw-', 'user:12345:r--', 'group::r--', 'mask::r--', 'other::---'],
  note: NOTE,
  mode: '640',
};

describeWith(
  'a file that is rewritten keeps its access control list and extended attributes',
  { linux: true, root: true, programs: ['getfacl', 'getfattr'] },
  () => {
    let shared: SharedFolder;
    beforeEach(async () => {
      shared = await SharedFolder.start();
      const words = ['download', chapterId('Alpha', '1'), '-o', shared.output];
      expect((await shared.run(0, ...words)).code).toBe(0);
    });
    afterEach(() => shared.stop());

    const run = async (...words: readonly string[]): Promise<void> => {
      const { code, stderr } = await shared.run(0, ...words);
      expect([code, stderr]).toEqual([0, expect.anything()]);
    };

    test('retag, also under a new name', async () => {
      const before = shared.find(/Ch\.001/);
      decorate(before);
      const { library } = shared.service;
      const title =
        library.titles().find(({ id }) => id === titleId('Alpha')) ?? syncTitle('Alpha');
      const attributes = { ...title.attributes, title: { en: 'Omega' }, updatedAt: LATER };
      library.putTitle({ ...title, attributes });
      await run('retag', shared.output, '--rename-titles');
      const after = shared.find(/Ch\.001/);
      expect(after).not.toBe(before);
      expect(decorationOf(after)).toEqual(KEPT);
    });

    test('download --force', async () => {
      decorate(shared.find(/Ch\.001/));
      await run('download', chapterId('Alpha', '1'), '--force', '-o', shared.output);
      expect(decorationOf(shared.find(/Ch\.001/))).toEqual(KEPT);
    });

    test('one without a list gets none from its folder', async () => {
      const file = shared.find(/Ch\.001/);
      chmodSync(file, 0o640);
      execFileSync('setfacl', ['-d', '-m', 'u:12345:rw', dirname(file)]);
      await run('download', chapterId('Alpha', '1'), '--force', '-o', shared.output);
      const list = execFileSync('getfacl', ['-cpn', shared.find(/Ch\.001/)], { encoding: 'utf8' });
      expect(list.trim().split('\n')).toEqual(['user::rw-', 'group::r--', 'other::---']);
    });

    test('no process is started for a file that has neither', async () => {
      const programs = join(shared.folder, 'programs');
      mkdirSync(programs);
      const log = join(programs, 'started');
      writeFileSync(join(programs, 'cp'), `#!/bin/sh\necho "$@" >> ${log}\n`, { mode: 0o755 });
      const path = process.env['PATH'] ?? '';
      process.env['PATH'] = `${programs}:${path}`;
      try {
        await run('download', chapterId('Alpha', '1'), '--force', '-o', shared.output);
        expect(existsSync(log)).toBe(false);
        decorate(shared.find(/Ch\.001/));
        await run('download', chapterId('Alpha', '1'), '--force', '-o', shared.output);
        expect(existsSync(log)).toBe(true);
      } finally {
        process.env['PATH'] = path;
      }
    });

    test('adopt, and adopt --undo', async () => {
      const web = `<ComicInfo><Web>https://mangadex.org/chapter/${chapterId('Alpha', '1')}</Web></ComicInfo>`;
      const [page] = await readArchive(shared.find(/Ch\.001/));
      rmSync(shared.find(/Ch\.001/));
      const file = join(shared.output, 'by hand.cbz');
      await writeArchive(file, { '001.jpg': page?.bytes ?? '', 'ComicInfo.xml': web });
      decorate(file);
      await run('adopt', shared.output, '--apply');
      expect(decorationOf(shared.find(/\.cbz$/))).toEqual(KEPT);
      await run('adopt', shared.output, '--undo');
      expect(decorationOf(shared.find(/\.cbz$/))).toEqual(KEPT);
    });
  },
);
