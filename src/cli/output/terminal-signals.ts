/** Runs `erase` before the shell writes to the terminal: at the end of the process, for a crash, and while stopped. */

/**
 * @param redraw called when the process continues after a stop (`fg`)
 * @returns ends it
 */
export function onTerminalLeft(erase: () => void, redraw: () => void): () => void {
  const stop = (): void => {
    erase();
    // Not SIGTSTP, which is handled here.
    process.kill(process.pid, 'SIGSTOP');
  };
  const listeners = [
    ['exit', erase],
    ['uncaughtExceptionMonitor', erase],
    ...(process.platform === 'win32'
      ? []
      : ([
          ['SIGTSTP', stop],
          ['SIGCONT', redraw],
        ] as const)),
  ] as const;
  for (const [event, listener] of listeners) process.on(event, listener);
  return () => {
    for (const [event, listener] of listeners) process.off(event, listener);
  };
}
