/** Runs the compiled form of each test file (scripts/compile-tests.js); jest finds and names the sources. */
import { join, relative } from 'node:path';
import { createRunner } from 'jest-light-runner';

const LightRunner = createRunner({ runtime: 'child_process' });

export default class CompiledTestRunner extends LightRunner {
  async _runTest(test) {
    const source = relative(process.cwd(), test.path);
    const path = join(process.cwd(), 'build-tests', source.replace(/ts$/, 'js'));
    const result = await super._runTest({ ...test, path });
    return { ...result, testFilePath: test.path };
  }
}
