/** Ends the process at once. */
import { spawn } from 'node:child_process';
import type { ExitCode } from '../core/exit-codes.js';

/**
 * Exits, or dies by SIGINT a second later: Node waits for threads that are blocked in the system, as by a hung network
 * drive or a name server that does not respond. Windows has no such signals.
 */
export function exitNow(code: ExitCode): never {
  if (process.platform !== 'win32') {
    process.removeAllListeners('SIGINT');
    const script = 'sleep 1; kill -INT "$0" && sleep 0.5 && kill -KILL "$0"';
    const killer = spawn('sh', ['-c', script, String(process.pid)], {
      detached: true,
      stdio: 'ignore',
    });
    killer.on('error', () => undefined);
  }
  process.exit(code);
}
