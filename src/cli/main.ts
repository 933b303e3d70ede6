/** The entry point. `--version` is answered without loading the command tree: scripts ask for it often. */
import { VERSION } from '../core/version.js';

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  // The reader of a pipe may be gone.
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    process.exitCode = code === 'EPIPE' ? 0 : 1;
  });
  process.stdout.write(`${VERSION}\n`);
} else {
  void import('./run-process.js').then(({ runProcess }) => runProcess(args));
}
