/** Checks of the program and its settings. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { arch, release } from 'node:os';
import { VERSION } from '../../core/version.js';
import { withoutUserInfo } from '../../core/web-address.js';
import { optionDefinition, variableOf } from '../../config/options.js';
import { SETTINGS_FILE } from '../../config/settings-file.js';
import { inspectSettings, type SettingState } from '../../config/settings.js';
import type { BareCommandContext } from '../command-context.js';
import { none, ok, warning } from './run-checks.js';
import type { Finding } from '../../events/doctor-events.js';

/** bin/tankobon.js refuses a Node.js that is too old, so any that gets here is supported. */
export function describeVersion(): Finding[] {
  return [
    ok(
      `tankobon ${VERSION}, Node.js ${process.versions.node}, ${process.platform} ${arch()} ${release()}`,
    ),
  ];
}

/** An error for each setting that is invalid. Throws if the file as a whole cannot be used. */
export async function checkSettings({ env, paths }: BareCommandContext): Promise<Finding[]> {
  const { states, unknown } = await inspectSettings(env, paths.config);
  const file = join(paths.config, SETTINGS_FILE);
  const findings: Finding[] = [
    ...states.flatMap(({ problem }): Finding[] =>
      problem ? [{ status: 'error', message: problem.message, hint: problem.hint }] : [],
    ),
    ...unknown.map((name) =>
      warning(`Unknown setting "${name}" in ${file}`, 'Remove it, or run: tankobon config list'),
    ),
    ...states.flatMap(otherService),
  ];
  if (findings.length > 0) return findings;
  return [existsSync(file) ? ok(file) : none(`no settings file, so the defaults: ${file}`)];
}

const ADDRESSES: readonly string[] = ['apiUrl', 'authUrl', 'networkUrl', 'realm'];

/** An address that is not that of MangaDex may be left from `demo --serve`. */
function otherService({ name, stored, source, problem }: SettingState): Finding[] {
  if (source === 'default' || problem || !ADDRESSES.includes(name)) return [];
  if (stored === optionDefinition(name).default) return [];
  const variable = variableOf(name);
  const where = source === 'file' ? name : variable;
  const undo = source === 'file' ? `tankobon config unset ${name}` : `unset ${variable}`;
  const message = `${where} is set to ${withoutUserInfo(String(stored))}, which is not MangaDex`;
  return [warning(message, `To use MangaDex, run: ${undo}`)];
}
