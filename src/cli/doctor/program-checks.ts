/** Checks of the program and its settings. */
import { join } from 'node:path';
import { arch, release } from 'node:os';
import { VERSION } from '../../core/version.js';
import { withoutUserInfo } from '../../core/web-address.js';
import { optionDefinition, variableOf } from '../../config/options/options.js';
import { SETTINGS_FILE } from '../../config/settings-file.js';
import { inspectSettings, type SettingState } from '../../config/settings.js';
import type { BareCommandContext } from '../command-context.js';
import { ok, warning, type Finding } from './run-checks.js';

/** The first minor version of each major version of Node.js that package.json names; later ones are supported too. */
const OLDEST_NODE: Readonly<Record<number, number>> = { 20: 15, 22: 2 };
const NEWEST_LISTED = 22;

export function checkVersion(node = process.versions.node): Finding[] {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const text = `tankobon ${VERSION}, Node.js ${node}, ${process.platform} ${arch()} ${release()}`;
  if (major > NEWEST_LISTED || minor >= (OLDEST_NODE[major] ?? Infinity)) return [ok(text)];
  const hint = 'Install Node.js 20.15, 22.2 or later: https://nodejs.org';
  return [{ status: 'error', message: `${text}: this Node.js is not supported`, hint }];
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
  return findings.length > 0 ? findings : [ok(file)];
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
