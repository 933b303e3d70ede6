/** V8 accepts the flag where it is set: it would write an error to the terminal of each command. */
import { spawnSync } from 'node:child_process';

test('changes the flags of V8 in Node 20, and writes nothing in any version', () => {
  const module = new URL('../../../build/core/compiler-tuning.js', import.meta.url).href;
  const script = `
    const { cachedDataVersionTag } = await import('node:v8');
    const before = cachedDataVersionTag();
    (await import('${module}')).delayOptimization();
    console.log(cachedDataVersionTag() === before ? 'same' : 'changed');`;
  const options = ['--input-type=module', '--eval', script];
  const { stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  const isSet = process.versions.node.startsWith('20.');
  expect({ stdout, stderr }).toEqual({ stdout: isSet ? 'changed\n' : 'same\n', stderr: '' });
});
