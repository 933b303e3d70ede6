/** The share of `--share NAME`: chapters that several machines divide among themselves, by the server of the ledger. */
import type { Wait } from '../../service/ledger.js';
import { shareServer } from '../../config/ledger-location.js';
import type { AppContext } from '../../config/context.js';

type Context = Pick<
  AppContext,
  'env' | 'paths' | 'redactor' | 'clock' | 'settings' | 'openKeychain'
>;

/** Close it when the run is over. */
export async function openChapterShare(
  context: Context,
  name: string,
  onWait: (wait: Wait) => void,
) {
  const server = await shareServer(context);
  const { clock, settings } = context;
  const { openWorkShare } = await import('../../service/work-share.js');
  return openWorkShare({ server, name, clock, maxOutageMs: settings.maxOutage, onWait });
}
