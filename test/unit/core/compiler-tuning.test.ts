/** V8 accepts the flag where it is set: it would write an error to the terminal of each command. */
import { spawnSync } from 'node:child_process';

const MODULE = new URL('../../../build/core/compiler-tuning.js', import.meta.url).href;

/** What `script` prints in a process of its own: `flags` says whether V8 has its default flags. */
function run(script: string) {
  const prelude = `
    const { cachedDataVersionTag } = await import('node:v8');
    const before = cachedDataVersionTag();
    const flags = () => (cachedDataVersionTag() === before ? 'default' : 'changed');
    const { expectFiles, delayOptimization } = await import('${MODULE}');`;
  const options = ['--input-type=module', '--eval', prelude + script];
  const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  return { printed: stdout.trim().split(' '), stderr };
}

const delayed = process.versions.node.startsWith('20.') ? 'changed' : 'default';

test('changes the flags of V8 in Node 20, and writes nothing in any version', () => {
  const found = run('delayOptimization(); console.log(flags());');
  expect(found).toEqual({ printed: [delayed], stderr: '' });
});

test('10,000 files end the delay, fewer do not, and the library changes no flag', () => {
  const found = run(`
    expectFiles(10_000);
    const withoutDelay = flags();
    delayOptimization();
    expectFiles(9_999);
    const withFewFiles = flags();
    expectFiles(10_000);
    console.log(withoutDelay, withFewFiles, flags());`);
  expect(found).toEqual({ printed: ['default', delayed, 'default'], stderr: '' });
});
