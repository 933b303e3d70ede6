/** bin/ refuses a Node that package.json does not allow; .ci/pack-check does this with real old versions. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { longRunRows } from '../../support/long-run.js';

const BIN = resolve('bin/tankobon.js');

/** Runs `bin/tankobon.js --version` in a Node that says it is another version. */
function runAs(version: string) {
  const code = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
    require(${JSON.stringify(BIN)});`;
  const args = ['--eval', code, 'bin', '--version'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('package.json allows the versions that this file tries', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    engines: { node: string };
  };
  expect(engines.node).toBe('^20.15.0 || >=22.2.0');
});

test.each(['0.10.48', '20.14.0', '22.1.0', ...longRunRows('16.20.2', '18.20.8', '21.7.3')])(
  'Node.js %s: exit 2, with the version that is needed and how to get it',
  (version) => {
    const { status, stdout, stderr } = runAs(version);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toBe(
      `error: tankobon needs Node.js 20.15, 22.2 or newer, and this is ${version} (${process.execPath})`,
    );
    expect(stderr).toContain('npx -p node@24 -p tankobon tankobon');
  },
);

test.each(['20.15.0', '22.2.0', ...longRunRows('20.20.2', '23.0.0', '26.10.0')])(
  'Node.js %s runs',
  (version) => {
    expect(runAs(version)).toMatchObject({ status: 0, stderr: '' });
  },
);
