/** The entry point. `--version` and help are answered without loading the command tree: they are asked for often. */
import { VERSION } from '../core/version.js';
import { preparedHelp } from './prepared-help.js';

const args = process.argv.slice(2);
const isVersion = args.length === 1 && (args[0] === '--version' || args[0] === '-V');
const answer = isVersion ? `${VERSION}\n` : preparedHelp(args);
if (answer !== undefined) {
  // The reader of a pipe may be gone.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exitCode = 0;
    else void runner().then(({ exitForOutput }) => exitForOutput(process.stdout, error));
  });
  process.stdout.write(answer);
} else {
  void import('../config/code-cache.js').then(async ({ openCodeCache }) => {
    const { delayOptimization } = await import('../core/compiler-tuning.js');
    const { collectInOneThread } = await import('../core/gc-tuning.js');
    // Before the flags are set: it loads node:zlib.
    openCodeCache(process.env);
    delayOptimization();
    collectInOneThread();
    const { runProcess } = await runner();
    return runProcess(args);
  });
}

function runner() {
  return import('./run-process.js');
}
