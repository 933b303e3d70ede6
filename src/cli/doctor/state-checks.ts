/** Checks of the state folder and what is kept there: locks, the rate ledger and health reports. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../core/errors.js';
import { removeFile } from '../../core/files.js';
import { freeBytes } from '../../core/file-system.js';
import { formatBytes, formatLocalTime, pluralize } from '../../core/human-format.js';
import { tryLockFile } from '../../core/lock.js';
import { nativeLocks } from '../../core/native-lock.js';
import { temporaryName } from '../../core/temporary-files.js';
import { ledgerLocation } from '../../config/ledger-location.js';
import { checkStateFolder } from '../../config/state-folder.js';
import { nearestExisting, tryFolder } from '../../core/output-folder.js';
import { hostStateOf, readReportStatus } from '../../service/reports.js';
import { viewLedgerAt } from '../../service/ledger.js';
import type { BareCommandContext, CommandContext } from '../command-context.js';
import { none, ok, warning } from './run-checks.js';
import type { Finding } from '../../events/doctor-events.js';

const OTHER_FOLDER = 'Set TANKOBON_HOME to a folder on a local disk that you can write to.';
const WRITE_AND_ENTER = constants.W_OK | constants.X_OK;

/** Throws UsageError `bad-setting` if the folder cannot be used. A missing one is not created. */
export async function checkState(context: BareCommandContext): Promise<Finding[]> {
  const { state } = context.paths;
  const warnings: Finding[] = [];
  checkStateFolder(context, (message, hint = '') => warnings.push(warning(message, hint)));
  const { path, isFolder } = await nearestExisting(state);
  // Anything else in its place was refused above.
  if (isFolder) await (path === state ? access(path, WRITE_AND_ENTER) : tryFolder(path));
  if (warnings.length > 0) return warnings;
  if (path !== state) return [none(`${state}: created when it is first needed`)];
  return [ok(process.platform === 'win32' ? state : `${state}: only you can write to it`)];
}

/** @param minBytes less than this is an error, and less than ten times as much a warning */
export async function checkSpace(
  folder: string,
  minBytes: number,
  hint: string,
): Promise<Finding[]> {
  const { path } = await nearestExisting(folder);
  const free = await freeBytes(path);
  if (free === undefined) return [ok(`unknown: the file system of ${folder} does not say`)];
  const message = `${formatBytes(free)} free: ${folder}`;
  if (free < minBytes) return [{ status: 'error', message, hint }];
  return [free < 10 * minBytes ? warning(message, hint) : ok(message)];
}

/** Takes a lock in the state folder. Throws StorageError `cannot-lock` if its file system has none. */
export async function checkLocks({ paths }: BareCommandContext): Promise<Finding[]> {
  const { path } = await nearestExisting(paths.state);
  const file = temporaryName(join(path, 'check'));
  const lock = await tryLockFile(file);
  await removeFile(file);
  lock?.release();
  if (!lock)
    return [
      { status: 'error', message: `No lock file can be created in ${path}`, hint: OTHER_FOLDER },
    ];
  try {
    nativeLocks();
  } catch (error) {
    if (!hasCode(error, 'cannot-lock')) throw error;
    const message = `${error.message} Files with heartbeats are used, which a process that is suspended for long can lose.`;
    return [warning(message, error.hint)];
  }
  return [ok('of the operating system: they end with their process')];
}

/** Reads the ledger, from its server if that is where it is. Throws the errors of a ledger that cannot be used. */
export async function checkLedger(context: BareCommandContext): Promise<Finding[]> {
  const { clock } = context;
  const location = await ledgerLocation(context);
  const { cooldown } = await viewLedgerAt({ location, clock });
  if ('folder' in location)
    await access((await nearestExisting(location.folder)).path, WRITE_AND_ENTER);
  if (cooldown) {
    const until = formatLocalTime(cooldown.untilMs, clock.wallMs());
    return [
      cooldown.why === 'banned'
        ? {
            status: 'error',
            message: `The service has banned this address; nothing is sent until ${until}`,
            hint: 'Wait until then. Run: tankobon limits',
          }
        : warning(
            `The service asked for a pause until ${until}; commands wait for it`,
            'Other programs on this address may use up its limits. Run: tankobon limits',
          ),
    ];
  }
  if ('folder' in location) return [ok(location.folder)];
  const { displayAddress } = await import('../../config/ledger-location.js');
  return [ok(`${displayAddress(location.server)} responds`)];
}

export function checkReports(context: CommandContext): Finding[] {
  const { settings } = context;
  const status = readReportStatus(context);
  const waiting = `${pluralize(status.waiting, 'health report')} waiting`;
  if (!settings.reports) return [ok(`turned off by the setting reports; ${waiting}`)];
  if (hostStateOf(status) !== 'down') return [ok(`${waiting}, ${status.sent} sent`)];
  const reason = status.host.lastError?.reason ?? 'no answer';
  return [
    warning(
      `The report host did not accept the last report (${reason}); ${waiting}`,
      'They are sent later. To try now, run: tankobon report-status --flush',
    ),
  ];
}
