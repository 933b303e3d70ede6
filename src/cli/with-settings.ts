import { loadSettings } from '../config/settings.js';
import { checkStateFolder } from '../config/state-folder.js';
import type { BareCommandContext, CommandContext } from './command-context.js';

/**
 * The context with the settings in force. Throws UsageError `bad-setting` if they cannot be read, or if other users can
 * write to the state folder: nothing in it is used then.
 */
export async function withSettings(bare: BareCommandContext): Promise<CommandContext> {
  checkStateFolder(bare);
  const settings = await loadSettings(bare.env, bare.paths.config);
  // Not a copy, which would call the getters.
  return Object.assign(bare, { settings });
}
