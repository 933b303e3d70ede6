/** The entry point. `--version` is answered without loading the command tree: scripts ask for it often. */
import { VERSION } from '../core/version.js';

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  // The reader of a pipe may be gone.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exitCode = 0;
    else void runner().then(({ exitForOutput }) => exitForOutput(process.stdout, error));
  });
  process.stdout.write(`${VERSION}\n`);
} else {
  void import('../config/code-cache.js').then(async ({ openCodeCache }) => {
    const { delayOptimization } = await import('../core/compiler-tuning.js');
    delayOptimization();
    openCodeCache(process.env);
    const { runProcess } = await runner();
    return runProcess(args);
  });
}

function runner() {
  return import('./run-process.js');
}
