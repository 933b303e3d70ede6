/**
 * The flags of V8 that this program sets for its process. V8 takes compiled code, also that of Node's own modules, only
 * under the flags under which it was made, so code is loaded under the default ones.
 */
import { setFlagsFromString } from 'node:v8';

/** V8's default of each flag that is set, by the flag, in the order in which they were set. */
const defaults = new Map<string, string>();

/** The options that the user gave Node. */
const nodeOptions = [...process.execArgv, process.env['NODE_OPTIONS']]
  .join(' ')
  .replaceAll('_', '-');

/**
 * Leaves a flag that the user gave Node.
 * @param byDefault the flag as V8 has it by default
 */
export function setFlag(flag: string, byDefault: string): void {
  const [name = ''] = flag.replace(/^--(?:no-)?/, '').split('=');
  if (nodeOptions.includes(name)) return;
  defaults.delete(flag);
  defaults.set(flag, byDefault);
  setFlagsFromString(flag);
}

export function resetFlags(): void {
  for (const byDefault of defaults.values()) setFlagsFromString(byDefault);
  defaults.clear();
}

/**
 * Without it, Node compiles forty of its modules from their source for a download, which takes 6 % of the time to its first
 * request. A module that a getter of Node loads, such as `process.stdout`, is compiled under the current flags.
 */
export function underDefaultFlags<T>(load: () => T): T {
  const set = [...defaults];
  resetFlags();
  try {
    return load();
  } finally {
    for (const [flag, byDefault] of set) setFlag(flag, byDefault);
  }
}
