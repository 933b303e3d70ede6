/** Temporary files of processes that this process cannot see. */
import { execFileSync } from 'node:child_process';
import { temporaryName } from '../../src/core/temporary-files.js';
import { MODULES_URL } from '../support/build-folders.js';
import { describeWith } from '../support/requirements.js';

const SCRIPT = `import('${MODULES_URL}/core/temporary-files.js').then(({ isLeftoverTemporary }) => {
  console.log(isLeftoverTemporary(process.argv[1]));
});`;

describeWith('another namespace of processes', { linux: true, root: true }, () => {
  test('a file of a process outside a sandbox is not left, though that process is not visible', () => {
    const words = ['--pid', '--fork', '--mount-proc', process.execPath, '-e', SCRIPT];
    const answer = execFileSync('unshare', [...words, temporaryName('/tmp/file')]);
    expect(answer.toString()).toBe('false\n');
  });
});
