/** Runs the compiled form of each test file (scripts/compile-tests.js); jest finds and names the sources. */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { createRunner } from 'jest-light-runner';

const LightRunner = createRunner({ runtime: 'child_process' });
const COMPILED_LINE =
  /(?:file:(?:\/\/)?)?([^\s()]+\/build-tests\/[^\s()?:]+\.js)(?:\?\d+)?:(\d+):(\d+)/g;
const MAP = /\n\/\/# sourceMappingURL=data:application\/json;base64,(\S+)/;

export default class CompiledTestRunner extends LightRunner {
  async _runTest(test) {
    const source = relative(process.cwd(), test.path);
    const path = join(process.cwd(), 'build-tests', source.replace(/ts$/, 'js'));
    const result = await super._runTest({ ...test, path });
    return {
      ...result,
      testFilePath: test.path,
      failureMessage: withSources(result.failureMessage),
      testResults: result.testResults.map((each) => ({
        ...each,
        failureMessages: each.failureMessages.map(withSources),
      })),
    };
  }
}

/** Lines of compiled files as those of their sources. Node does that too, at a cost for each module and each error. */
function withSources(message) {
  return message.replace(COMPILED_LINE, (compiled, file, line, column) => {
    const [, map = ''] = MAP.exec(readFileSync(file, 'utf8')) ?? [];
    if (map === '') return compiled;
    const sourceMap = new SourceMap(JSON.parse(Buffer.from(map, 'base64').toString()));
    const { originalSource, originalLine, originalColumn } = sourceMap.findEntry(
      Number(line) - 1,
      Number(column) - 1,
    );
    if (originalSource === undefined) return compiled;
    return `${join(dirname(file), originalSource)}:${originalLine + 1}:${originalColumn + 1}`;
  });
}
