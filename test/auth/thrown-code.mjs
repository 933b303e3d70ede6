// One command line of the compiled program, run without its last word to the user: prints the code of what it throws.
// argv: the compiled program's folder, then the command line.
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [compiled, ...words] = process.argv.slice(2);
const part = (file) => import(pathToFileURL(join(compiled, file)).href);
const { foldersFrom } = await part('cli/folders.js');
const { runProgram } = await part('cli/program.js');
const { loadSettings } = await part('cli/settings.js');
const { systemClock } = await part('kernel/clock.js');

const { env, stdin, stdout, stderr } = process;
const folders = foldersFrom(env);
const { settings } = await loadSettings(env, folders.config);
const { signal } = new globalThis.AbortController();
const run = { env, stdin, stdout, stderr, clock: systemClock, signal, settings, folders };
await runProgram(words, { run: () => Promise.resolve(run), bare: () => run }).catch((error) => {
  stdout.write(`${error.code}`);
});
