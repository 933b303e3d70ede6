import { homedir } from 'node:os';
import { join } from 'node:path';

/** A path that starts with `~/`, as in a quoted option or a setting, below the home folder; others unchanged. */
export function expandHome(path: string): string {
  if (path !== '~' && !/^~[/\\]/.test(path)) return path;
  try {
    return join(homedir(), path.slice(1));
  } catch {
    // Without a home folder it is an ordinary name.
    return path;
  }
}
