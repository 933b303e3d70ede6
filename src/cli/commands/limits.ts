/**
 * `tankobon limits`: what is used of the service's limits by all processes of this machine, who waits, and any
 * cooldown in force. It asks the ledger alone, and sends nothing.
 */
import { UsageError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import type { LedgerView, QuotaView } from '../../rate-limit/ledger-view.js';
import { resetLedger, viewLedger } from '../../rate-limit/machine-ledger.js';
import type { BareCommandContext } from '../command-context.js';
import { rawStream } from '../output/safe-stream.js';

export interface LimitsOptions {
  /** One JSON object instead of a table. */
  readonly json?: boolean;
  /** Forget what is recorded, after a question. */
  readonly reset?: boolean;
}

const BAR_CELLS = 20;

/** Throws UsageError('bad-option') where `reset` is asked for and there is no terminal to ask at. */
export async function limits(options: LimitsOptions, run: BareCommandContext): Promise<ExitCode> {
  if (options.reset === true) return reset(run);
  const view = viewLedger({ folder: run.paths.ledger, clock: run.clock });
  run.stdout.write(options.json === true ? `${JSON.stringify(asJson(view))}\n` : asTable(view));
  return EXIT.done;
}

async function reset(run: BareCommandContext): Promise<ExitCode> {
  const { paths, clock, stdin, stderr, signal } = run;
  if (!stdin.isTTY) {
    throw new UsageError('bad-option', 'The ledger is reset only after a question at a terminal.', {
      hint: 'Type this at a terminal: tankobon limits --reset',
    });
  }
  const { confirm } = await import('@inquirer/prompts');
  const message = 'Forget what was sent, and any cooldown? The service does not, and may ban us.';
  const sure = await confirm(
    { message, default: false },
    { input: stdin, output: rawStream(stderr), signal },
  ).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof Error && error.name === 'ExitPromptError') return false;
    throw error;
  });
  if (!sure) {
    stderr.write('Nothing was changed.\n');
    return EXIT.done;
  }
  await resetLedger({
    folder: paths.ledger,
    clock,
    warn: (text) => void stderr.write(`tankobon: ${text}\n`),
  });
  stderr.write('The ledger is reset; requests that are under way still count.\n');
  return EXIT.done;
}

function asJson(view: LedgerView): unknown {
  const { quotas, cooldown, ...rest } = view;
  return {
    quotas: quotas.map(({ freeAtMs, ...quota }) => ({
      ...quota,
      ...(freeAtMs !== undefined && { freeAt: isoTime(freeAtMs) }),
    })),
    ...rest,
    ...(cooldown && {
      cooldown: { why: cooldown.why, until: isoTime(cooldown.untilMs), strikes: cooldown.strikes },
    }),
  };
}

function asTable(view: LedgerView): string {
  const { quotas, cooldown, waiting, underWay, onProbation } = view;
  const width = Math.max(0, ...quotas.map((quota) => nameOf(quota).length));
  const lines = quotas.map((quota) => quotaLine(quota, width));
  if (lines.length === 0) lines.push('Nothing of the limits is in use.');
  if (underWay > 0) lines.push(`${count(underWay, 'request')} under way.`);
  if (waiting > 0) lines.push(`${count(waiting, 'process', 'processes')} waiting for a place.`);
  if (cooldown) {
    const until = localTime(cooldown.untilMs);
    lines.push(
      cooldown.why === 'banned'
        ? `Banned until ${until}: the service refused this address (403). Nothing is sent until then.`
        : `Paused until ${until}: the service asked for it (429). Commands wait for it.`,
    );
    if (cooldown.strikes > 1) lines.push(`It was met ${cooldown.strikes} times in a row.`);
  }
  if (onProbation)
    lines.push('A cooldown has just ended; the next request goes alone, as a trial.');
  return `${lines.join('\n')}\n`;
}

function quotaLine(quota: QuotaView, width: number): string {
  const { used, allowed, foreign, freeAtMs } = quota;
  const filled = Math.round((used / allowed) * BAR_CELLS);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
  const notes = [
    `${used} of ${allowed} in ${periodInWords(quota.periodMs)}`,
    ...(foreign > 0 ? [`${foreign} by other programs`] : []),
    ...(freeAtMs === undefined ? [] : [`next at ${localTime(freeAtMs)}`]),
  ];
  return `${nameOf(quota).padEnd(width)}  ${bar}  ${notes.join(', ')}`;
}

function nameOf({ host, endpoint }: QuotaView): string {
  return endpoint === undefined ? host : `${host} ${endpoint}`;
}

function periodInWords(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000} s` : `${ms / 60_000} min`;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function localTime(ms: number): string {
  return new Date(ms).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' });
}
