/** The largest resident set of a program that a test starts. */

/**
 * For `NODE_OPTIONS`: the program writes it to its standard error at its end. On Linux, the maximum that
 * `process.resourceUsage()` returns includes the memory of the process that started it.
 */
export const PEAK_MEMORY_OPTION = `--import=data:text/javascript,${encodeURIComponent(`
  import { readFileSync, writeSync } from 'node:fs';
  process.on('exit', () => {
    let status = '';
    try {
      status = readFileSync('/proc/self/status', 'utf8');
    } catch {}
    const [, kib = process.resourceUsage().maxRSS] = /^VmHWM:\\s*(\\d+)/m.exec(status) ?? [];
    writeSync(2, 'peak=' + kib);
  });
`)}`;

export function peakKibIn(stderr: string): number {
  return Number(/peak=(\d+)/.exec(stderr)?.[1]);
}
