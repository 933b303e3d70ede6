/** The share of `--share NAME`: chapters that several machines divide among themselves, by the server of the ledger. */
import { UsageError } from '../../core/errors.js';
import type { Wait } from '../../service/ledger.js';
import { type RedisAddress, ledgerLocation } from '../../config/ledger-location.js';
import type { WorkShare } from '../../service/work-share.js';
import type { AppContext } from '../../config/context.js';

type Context = Pick<
  AppContext,
  'env' | 'paths' | 'redactor' | 'clock' | 'settings' | 'openKeychain'
>;

/** Throws UsageError (`bad-option`) where the ledger is in a folder, which other machines do not see. */
export async function shareServer(context: Context): Promise<RedisAddress> {
  const location = await ledgerLocation(context);
  if ('server' in location) return location.server;
  throw new UsageError('bad-option', '--share needs a ledger on a server.', {
    hint: 'On all machines, set for example: TANKOBON_LEDGER=redis://nas.local:6379/0',
  });
}

/** Close it when the run is over. */
export async function openChapterShare(
  context: Context,
  name: string,
  onWait: (wait: Wait) => void,
): Promise<WorkShare> {
  const server = await shareServer(context);
  const { clock, settings } = context;
  const { openWorkShare } = await import('../../service/work-share.js');
  return openWorkShare({ server, name, clock, maxOutageMs: settings.maxOutage, onWait });
}
