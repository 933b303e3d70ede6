/** Checks of the program, its settings, and what is in its state folder: locks, the rate ledger and health reports. */
import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { arch, release } from 'node:os';
import { join } from 'node:path';
import { displayAddress, ledgerLocation } from '../../config/ledger-location.js';
import { optionDefinition, variableOf } from '../../config/options.js';
import { SETTINGS_FILE } from '../../config/settings-file.js';
import { inspectSettings, type SettingState } from '../../config/settings.js';
import { checkStateFolder } from '../../config/state-folder.js';
import { hasCode } from '../../core/errors.js';
import { freeBytes } from '../../core/file-system.js';
import { removeFile } from '../../core/files.js';
import { formatBytes, formatCount, formatLocalTime, pluralize } from '../../core/human-format.js';
import { tryLockFile } from '../../core/lock.js';
import { nativeLocks } from '../../core/native-lock.js';
import { nearestExisting, tryFolder } from '../../core/output-folder.js';
import { temporaryName } from '../../core/temporary-files.js';
import { VERSION } from '../../core/version.js';
import { withoutUserInfo } from '../../core/web-address.js';
import type { Finding } from '../../events/doctor-events.js';
import { viewLedgerAt } from '../../service/ledger.js';
import { readReportStatus } from '../../service/reports.js';
import type { BareCommandContext, CommandContext } from '../command-context.js';
import { failure, none, ok, warning, type Findings } from './run-checks.js';

/** bin/tankobon.js refuses a Node.js that is too old, so any that gets here is supported. */
export function describeVersion(): Finding {
  return ok(
    `tankobon ${VERSION}, Node.js ${process.versions.node}, ${process.platform} ${arch()} ${release()}`,
  );
}

/** An error for each setting that is invalid. Throws if the file as a whole cannot be used. */
export async function checkSettings({ env, paths }: BareCommandContext): Promise<Findings> {
  const { states, unknown } = await inspectSettings(env, paths.config);
  const file = join(paths.config, SETTINGS_FILE);
  const findings: Finding[] = [
    ...states.flatMap(({ problem }) => (problem ? failure(problem.message, problem.hint) : [])),
    ...unknown.map((name) =>
      warning(`Unknown setting "${name}" in ${file}`, 'Remove it, or run: tankobon config list'),
    ),
    ...states.flatMap(otherService),
  ];
  if (findings.length > 0) return findings;
  return existsSync(file) ? ok(file) : none(`no settings file, so the defaults: ${file}`);
}

const ADDRESSES: readonly string[] = ['apiUrl', 'authUrl', 'networkUrl', 'realm'];

/** An address that is not that of MangaDex may be left from `demo --serve`. */
function otherService({ name, stored, source, problem }: SettingState): Findings {
  if (source === 'default' || problem || !ADDRESSES.includes(name)) return [];
  if (stored === optionDefinition(name).default) return [];
  const variable = variableOf(name);
  const where = source === 'file' ? name : variable;
  const undo = source === 'file' ? `tankobon config unset ${name}` : `unset ${variable}`;
  const message = `${where} is set to ${withoutUserInfo(String(stored))}, which is not MangaDex`;
  return warning(message, `To use MangaDex, run: ${undo}`);
}

const OTHER_FOLDER = 'Set TANKOBON_HOME to a folder on a local disk that you can write to.';
const WRITE_AND_ENTER = constants.W_OK | constants.X_OK;

/** Throws UsageError `bad-setting` if the folder cannot be used. A missing one is not created. */
export async function checkState(context: BareCommandContext): Promise<Findings> {
  const { state } = context.paths;
  const warnings: Finding[] = [];
  checkStateFolder(context, (message, hint = '') => warnings.push(warning(message, hint)));
  const { path, isFolder } = await nearestExisting(state);
  // Anything else in its place was refused above.
  if (isFolder) await (path === state ? access(path, WRITE_AND_ENTER) : tryFolder(path));
  if (warnings.length > 0) return warnings;
  if (path !== state) return none(`${state}: created when it is first needed`);
  return ok(process.platform === 'win32' ? state : `${state}: only you can write to it`);
}

/** @param minBytes less than this is an error, and less than ten times as much a warning */
export async function checkSpace(folder: string, minBytes: number, hint: string): Promise<Finding> {
  const { path } = await nearestExisting(folder);
  const free = await freeBytes(path);
  if (free === undefined) return ok(`unknown: the file system of ${folder} does not say`);
  const message = `${formatBytes(free)} free: ${folder}`;
  if (free < minBytes) return failure(message, hint);
  return free < 10 * minBytes ? warning(message, hint) : ok(message);
}

/** Takes a lock in the state folder. Throws StorageError `cannot-lock` if its file system has none. */
export async function checkLocks({ paths }: BareCommandContext): Promise<Finding> {
  const { path } = await nearestExisting(paths.state);
  const file = temporaryName(join(path, 'check'));
  const lock = await tryLockFile(file);
  await removeFile(file);
  lock?.release();
  if (!lock) return failure(`No lock file can be created in ${path}`, OTHER_FOLDER);
  try {
    nativeLocks();
  } catch (error) {
    if (!hasCode(error, 'cannot-lock')) throw error;
    const message = `${error.message} Files with heartbeats are used, which a process that is suspended for long can lose.`;
    return warning(message, error.hint);
  }
  return ok('of the operating system: they end with their process');
}

/** Reads the ledger, from its server if that is where it is. Throws the errors of a ledger that cannot be used. */
export async function checkLedger(context: BareCommandContext): Promise<Finding> {
  const { clock } = context;
  const location = await ledgerLocation(context);
  const { cooldown } = await viewLedgerAt({ location, clock });
  if ('folder' in location)
    await access((await nearestExisting(location.folder)).path, WRITE_AND_ENTER);
  if (cooldown) {
    const until = formatLocalTime(cooldown.untilMs, clock.wallMs());
    return cooldown.why === 'banned'
      ? failure(
          `The service has banned this address; nothing is sent until ${until}`,
          'Wait until then. Run: tankobon limits',
        )
      : warning(
          `The service asked for a pause until ${until}; commands wait for it`,
          'Other programs on this address may use up its limits. Run: tankobon limits',
        );
  }
  if ('folder' in location) return ok(location.folder);
  return ok(`${displayAddress(location.server)} responds`);
}

export function checkReports(context: CommandContext): Finding {
  const { settings } = context;
  const status = readReportStatus(context);
  const waiting = `${pluralize(status.waiting, 'health report')} waiting`;
  if (!settings.reports) return ok(`turned off by the setting reports; ${waiting}`);
  if (status.host.state !== 'down') return ok(`${waiting}, ${formatCount(status.sent)} sent`);
  const reason = status.host.lastError?.reason ?? 'no answer';
  return warning(
    `The report host did not accept the last report (${reason}); ${waiting}`,
    'They are sent later. To try now, run: tankobon report-status --flush',
  );
}
