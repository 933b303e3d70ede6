/**
 * Where the program starts. Turns the process (argv, signals, streams) into a run, lets the command tree do it,
 * and turns what comes back into an exit code.
 */
import { VERSION } from '../core/version.js';

const words = process.argv.slice(2);
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  // Asked so often by scripts that it is worth not waking the command tree for it.
  process.stdout.write(`${VERSION}\n`);
} else {
  void import('./run-process.js').then(({ runProcess }) => runProcess(words));
}
