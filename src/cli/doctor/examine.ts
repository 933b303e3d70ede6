/** All checks of `tankobon doctor`, in their order. */
import type { GivenOptions } from '../../config/options.js';
import { loadSettings } from '../../config/settings.js';
import { SubscriptionList } from '../../sync/subscription-list.js';
import { subscriptionsPath } from '../../sync/subscriptions.js';
import type { BareCommandContext, CommandContext } from '../command-context.js';
import {
  checkApi,
  checkHooks,
  checkKeychain,
  checkLogin,
  checkReportHost,
  checkTokenEndpoint,
} from './account-checks.js';
import {
  checkFileSystem,
  checkOutput,
  checkReplaced,
  outputFolders,
  readHistories,
} from './output-checks.js';
import {
  checkLedger,
  checkLocks,
  checkReports,
  checkSettings,
  checkSpace,
  checkState,
  describeVersion,
} from './program-checks.js';
import { none, ok, runChecks, warning, type Check } from './run-checks.js';
import type { CheckEvent, Finding } from '../../events/doctor-events.js';

/** Takes the ledger, the reports and the journals of a run. */
const MIN_STATE_BYTES = 2e6;
/** Takes a chapter twice: its pages are kept while it is packed. */
const MIN_OUTPUT_BYTES = 20e6;

/** With invalid settings, only what does not depend on them is checked. */
export async function* examine(
  options: GivenOptions,
  bare: BareCommandContext,
): AsyncGenerator<CheckEvent> {
  yield* runChecks(programChecks(bare), bare);
  const settings = await settingsIfValid(bare);
  if (!settings) return;
  // Not a copy, which would call the getters.
  const context: CommandContext = Object.assign(bare, { settings });
  const file = subscriptionsPath(options.file, context);
  let list: SubscriptionList | undefined;
  const readFile: Check = {
    name: 'subscriptions',
    run: async () => {
      const warnings: Finding[] = [];
      list = await SubscriptionList.readIfExists(file, context, (message, hint = '') =>
        warnings.push(warning(message, hint)),
      );
      if (warnings.length > 0) return warnings;
      if (!list.exists) return none('no subscriptions file: only tankobon sync needs one');
      return ok(`${file}; its history: ${list.historyFolder}`);
    },
  };
  yield* runChecks([{ name: 'reports', run: () => checkReports(context) }, readFile], context);
  const needsLogin = list?.subscriptions.follows && 'the subscriptions follow your account';
  const accountChecks: Check[] = [
    { name: 'keychain', run: () => checkKeychain(context) },
    { name: 'login', run: () => checkLogin(context, needsLogin) },
    { name: 'hook', run: () => (list ? checkHooks(list, context) : []) },
  ];
  yield* runChecks(accountChecks, context);
  const folders = outputFolders(options.output, list, context);
  let reading: ReturnType<typeof readHistories> | undefined;
  const histories = () => (reading ??= readHistories(file, context));
  for (const folder of folders) {
    const own = options.output === undefined && list?.outputs().includes(folder) ? list : undefined;
    const other = own
      ? `change the key output: ${own.commandLine('edit')}`
      : 'choose another folder: --output DIR';
    yield* examineOutput(folder, other, histories, context);
  }
  const onlineChecks: Check[] = [
    { name: 'api', run: () => checkApi(context) },
    { name: 'token-endpoint', run: () => checkTokenEndpoint(context) },
    { name: 'report-host', run: () => checkReportHost(context) },
  ];
  if (options.online) yield* runChecks(onlineChecks, context);
}

function programChecks(context: BareCommandContext): readonly Check[] {
  const version: Check = { name: 'version', run: describeVersion };
  // Without a home folder, nothing else can be checked.
  if (!hasPaths(context))
    return [version, { name: 'state-folder', run: () => checkState(context) }];
  const stateHint = 'Free some space, or set TANKOBON_HOME to a folder on another disk.';
  return [
    version,
    { name: 'settings', run: () => checkSettings(context) },
    { name: 'state-folder', run: () => checkState(context) },
    {
      name: 'state-space',
      run: () => checkSpace(context.paths.state, MIN_STATE_BYTES, stateHint),
    },
    { name: 'locks', run: () => checkLocks(context) },
    { name: 'ledger', run: () => checkLedger(context) },
  ];
}

/** What is said of a folder that cannot be used would be about the disk that is there in its place. */
async function* examineOutput(
  folder: string,
  otherFolder: string,
  histories: () => ReturnType<typeof readHistories>,
  context: CommandContext,
): AsyncGenerator<CheckEvent> {
  const run = () => checkOutput(folder, otherFolder, histories);
  const ofFolder: Check = { name: 'output-folder', run };
  let isUsable = true;
  for await (const found of runChecks([ofFolder], context)) {
    isUsable = found.status !== 'error';
    yield found;
  }
  if (!isUsable) return;
  const hint = `Free some space, or ${otherFolder}`;
  const furtherChecks: Check[] = [
    { name: 'output-space', run: () => checkSpace(folder, MIN_OUTPUT_BYTES, hint) },
    { name: 'file-system', run: () => checkFileSystem(folder) },
    { name: 'replaced-files', run: () => checkReplaced(folder, context) },
  ];
  yield* runChecks(furtherChecks, context);
}

function hasPaths(context: BareCommandContext): boolean {
  try {
    return context.paths.state !== '';
  } catch {
    return false;
  }
}

/** The problems are findings of `settings`, and of `state-folder` without a home folder. */
async function settingsIfValid(context: BareCommandContext) {
  try {
    return await loadSettings(context.env, context.paths.config);
  } catch {
    return undefined;
  }
}
