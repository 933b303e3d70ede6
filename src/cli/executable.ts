/** The entry point of the single executable: the program, or the program of a child process (core/child-program.ts). */
import { createRequire, wrap } from 'node:module';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { Script } from 'node:vm';
import { ownFolders } from '../config/own-folders.js';
import { assetOf, CHILD_PROGRAM_OPTION, extractWith } from '../core/executable.js';
import { extractAsset } from '../core/extracted-file.js';

const { argv, execPath, env, platform } = process;
const [, , option, program] = argv;
if (option === CHILD_PROGRAM_OPTION && program !== undefined) runChildProgram(program);
else {
  extractWith((name) => extractAsset(name, ownFolders(env, platform, homedir).state));
  void import('./main.js');
}

type Wrapper = (
  exports: object,
  require: NodeJS.Require,
  module: { readonly exports: object },
  file: string,
  folder: string,
) => void;

/** The program finds its arguments where it has them as a file. */
function runChildProgram(name: string): void {
  argv.splice(1, 3, name);
  const script = new Script(wrap(assetOf(name).toString()), { filename: name });
  const module = { exports: {} };
  const run = script.runInThisContext() as Wrapper;
  run(module.exports, createRequire(execPath), module, execPath, dirname(execPath));
}
