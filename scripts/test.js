/** `npm test`: the type check runs beside the build and the tests, since each alone leaves a core idle. */
import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';

/** Runs a script of package.json; resolves to its exit code. */
async function run(script, { words = [], stdout = 'inherit' } = {}) {
  const args = [process.env.npm_execpath, 'run', script, '--', ...words];
  const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'inherit'] });
  const closed = new Promise((resolve) => child.once('close', resolve));
  // What the type check prints is shown at the end, not between the test results.
  const output = child.stdout ? await buffer(child.stdout) : '';
  const code = (await closed) ?? 1;
  return { code, output };
}

const typeCheck = run('typecheck', { stdout: 'pipe' });
const built = await run('build');
const tested = built.code === 0 ? await run('test:built', { words: process.argv.slice(2) }) : built;
const { code, output } = await typeCheck;
if (code !== 0) process.stdout.write(output);
process.exitCode = tested.code || code;
