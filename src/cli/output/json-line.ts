/** A line of `--json`. The field `error` of an event is for the exit code and the hints, and is left out. */
export function jsonLine(value: unknown): string {
  const json = JSON.stringify(value, (key, each: unknown) => (key === 'error' ? undefined : each));
  return `${json}\n`;
}
