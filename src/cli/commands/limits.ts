/**
 * `tankobon limits`: how much of the rate limits all processes that share the ledger have used, how many wait, and any
 * active cooldown. Reads the ledger and sends nothing.
 */
import type { Command } from 'commander';
import { maxOf } from '../../core/extremes.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { formatDuration, formatLocalTime, isoTime, pluralize } from '../../core/human-format.js';
import type { viewLedgerAt } from '../../service/ledger.js';
import type { GivenOptions } from '../../config/options.js';
import type { BareCommandContext, CommandRunner } from '../command-context.js';
import { addOptions } from '../command-options.js';
import { addEnvironment, addExamples } from '../help-format.js';
import { warnTo } from '../output/error-message.js';
import { drawBar, glyphsFor, type Glyphs } from '../output/glyphs.js';
import { confirm } from '../prompt.js';
import { jsonLine } from '../output/json-line.js';

type LedgerView = Awaited<ReturnType<typeof viewLedgerAt>>;
type QuotaView = LedgerView['quotas'][number];

const BAR_CELLS = 20;

export function limitsCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('limits')
    .description('show the use of the rate limits and any active cooldown')
    .action((options: GivenOptions) => run((context) => limits(options, context)));
  addExamples(addOptions(command, 'limits'), [
    ['tankobon limits', 'use by all tankobon processes that share the ledger'],
  ]);
  return addEnvironment(
    command,
    'TANKOBON_LEDGER',
    'TANKOBON_LEDGER_USERNAME',
    'TANKOBON_LEDGER_PASSWORD',
  );
}

/** Throws UsageError('bad-option') for a reset without a terminal to confirm it. */
export async function limits(
  options: GivenOptions,
  context: BareCommandContext,
): Promise<ExitCode> {
  const { resetLedgerAt, viewLedgerAt } = await import('../../service/ledger.js');
  const { ledgerLocation } = await import('../../config/ledger-location.js');
  const { clock, stdout, stderr, env } = context;
  const location = await ledgerLocation(context);
  if (!options.reset) {
    const view = await viewLedgerAt({ location, clock });
    stdout.write(
      options.json ? jsonLine(toJson(view)) : toTable(view, clock.wallMs(), glyphsFor(env)),
    );
    return EXIT.done;
  }
  const isConfirmed =
    options.yes === true ||
    (await confirm(
      context,
      'Clear the recorded requests and any cooldown? The service keeps counting, and may ban this address.',
      'Run: tankobon limits --reset --yes',
    ));
  if (isConfirmed) {
    await resetLedgerAt({ location, clock, warn: warnTo(stderr) });
  }
  stderr.write(
    isConfirmed ? 'Ledger cleared. Requests in flight still count.\n' : 'Nothing changed.\n',
  );
  return EXIT.done;
}

function toJson({ quotas, cooldown, unknownUseUntilMs, ...rest }: LedgerView): unknown {
  return {
    quotas: quotas.map(({ freeAtMs, ...quota }) => ({ ...quota, freeAt: isoTime(freeAtMs) })),
    ...rest,
    unknownUseUntil: isoTime(unknownUseUntilMs),
    cooldown: cooldown && {
      why: cooldown.why,
      until: isoTime(cooldown.untilMs),
      strikes: cooldown.strikes,
    },
  };
}

function toTable(view: LedgerView, nowMs: number, glyphs: Glyphs): string {
  const {
    quotas,
    cooldown,
    waiting,
    underWay,
    onProbation,
    unknownUseUntilMs,
    machines = [],
  } = view;
  const width = maxOf([0, ...quotas.map((quota) => quotaName(quota).length)]);
  const lines = quotas.map((quota) => quotaLine(quota, width, nowMs, glyphs));
  if (unknownUseUntilMs !== undefined) {
    const until = formatLocalTime(unknownUseUntilMs, nowMs);
    lines.push(
      `Earlier requests are unknown: each limit counts as used up until one period after ${until}.`,
    );
  } else if (lines.length === 0) lines.push('No rate limit is in use.');
  if (underWay > 0) lines.push(`${pluralize(underWay, 'request')} in flight.`);
  if (waiting > 0) lines.push(`${pluralize(waiting, 'process', 'processes')} waiting.`);
  for (const machine of machines) {
    lines.push(`${machine.host}: ${machine.waiting} waiting.`);
  }
  if (cooldown) {
    const until = formatLocalTime(cooldown.untilMs, nowMs);
    lines.push(
      cooldown.why === 'banned'
        ? `Banned until ${until}: the service refused this address (403). Nothing is sent until then.`
        : `Paused until ${until}: the service asked for it (429). Commands wait for it.`,
    );
    if (cooldown.strikes > 1) lines.push(`${cooldown.strikes} times in a row.`);
  }
  if (onProbation)
    lines.push('A cooldown has just ended; the next request is sent alone as a test.');
  return `${lines.join('\n')}\n`;
}

function quotaLine(quota: QuotaView, width: number, nowMs: number, glyphs: Glyphs): string {
  const { used, allowed, remaining, freeAtMs } = quota;
  const bar = drawBar(used / allowed, BAR_CELLS, glyphs);
  const notes = [
    `${used} of ${allowed} in ${formatDuration(quota.periodMs)}`,
    ...(remaining === undefined ? [] : [`${remaining} left by the service's count`]),
    ...(freeAtMs === undefined ? [] : [`next at ${formatLocalTime(freeAtMs, nowMs)}`]),
  ];
  return `${quotaName(quota).padEnd(width)}  ${bar}  ${notes.join(', ')}`;
}

function quotaName({ host, endpoint }: QuotaView): string {
  return endpoint === undefined ? host : `${host} ${endpoint}`;
}
