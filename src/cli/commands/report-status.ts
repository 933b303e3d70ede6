/** `tankobon report-status`: what the edge network was told, what waits, and how its nodes fare. */
import { resolve } from 'node:path';
import { writeFileAtomic } from '../../core/files.js';
import { interruption, UsageError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { clearReports, readReportStatus } from '../../health-reports/report-status.js';
import { ReportSender } from '../../health-reports/sender.js';
import { reportsFolder } from '../../health-reports/spool.js';
import { readAddresses } from '../../rate-limit/service-addresses.js';
import { pluralize } from '../output/sizes.js';
import type { CommandContext } from '../command-context.js';
import { rawStream, safeTexts } from '../output/safe-stream.js';

export interface ReportStatusOptions {
  /** One JSON object on standard output, and nothing else there. */
  readonly json?: boolean;
  /** Send what waits now. */
  readonly flush?: boolean;
  /** Forget all reports and figures, after a question. */
  readonly clear?: boolean;
  /** Do not ask. */
  readonly yes?: boolean;
  /** Write the figures as one page to this file. */
  readonly html?: string;
}

const DEFAULT_COLUMNS = 80;

/**
 * Exit code 3 where a flush leaves reports waiting. Throws UsageError('bad-option') for options that exclude
 * each other or a question that nobody can answer, and UsageError('bad-output') where the page cannot be written.
 */
export async function reportStatus(
  options: ReportStatusOptions,
  run: CommandContext,
): Promise<ExitCode> {
  if (options.flush === true && options.clear === true) {
    throw new UsageError('bad-option', 'Either --flush or --clear can be asked for, not both.');
  }
  const folder = reportsFolder(run.paths.state, readAddresses(run.settings).networkUrl);
  if (options.clear === true) return clear(folder, options, run);
  const code = options.flush === true ? await flush(folder, options, run) : EXIT.done;
  // The flush's own object is the answer to the program that asked for one.
  if (options.json !== true || options.flush !== true) await show(folder, options, run);
  return code;
}

async function show(
  folder: string,
  options: ReportStatusOptions,
  run: CommandContext,
): Promise<void> {
  const nowMs = run.clock.wallMs();
  const status = await readReportStatus(folder, nowMs);
  if (options.html !== undefined) {
    const { reportPage } = await import('../output/report-page.js');
    const file = resolve(options.html);
    await writeFileAtomic(file, reportPage(status, nowMs)).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new UsageError('bad-output', `The page cannot be written: ${why}`, {
        cause,
        hint: 'Name a file in a folder that you may write to, with: --html FILE',
      });
    });
    run.stderr.write(`The figures are in ${file}\n`);
  }
  if (options.json === true) run.stdout.write(`${JSON.stringify(status)}\n`);
  else if (options.html === undefined) {
    const { reportTable } = await import('../output/report-table.js');
    const { isTTY, columns } = run.stdout;
    const colours = isTTY && !run.env['NO_COLOR'] && run.env['TERM'] !== 'dumb';
    const out = colours ? rawStream(run.stdout) : run.stdout;
    out.write(
      reportTable(safeTexts(status, run.redactor), {
        columns: columns || DEFAULT_COLUMNS,
        colours,
        nowMs,
      }),
    );
  }
}

async function flush(
  folder: string,
  { json }: ReportStatusOptions,
  run: CommandContext,
): Promise<ExitCode> {
  const { openService } = await import('../../app/service.js');
  const { reportHost } = await import('../../health-reports/report-host.js');
  const warn = (message: string) => void run.stderr.write(`tankobon: ${message}\n`);
  const service = await openService(run, {
    onWait: ({ why, untilMs }) => {
      warn(`Waiting until ${new Date(untilMs).toLocaleTimeString()}: ${why}.`);
    },
    warn,
  });
  const { networkUrl } = service.addresses;
  const { connections, anonymous: client } = service;
  const send = reportHost({ networkUrl, connections, client });
  const sender = new ReportSender({ folder, clock: run.clock, send });
  const flushed = await sender.flush(run.signal);
  await sender.finish(0);
  await service.close();
  run.signal.throwIfAborted();
  const { host, waiting } = await readReportStatus(folder, run.clock.wallMs());
  const reason = host.lastError?.reason;
  if (json === true) {
    const result = { ...flushed, waiting, ...(reason === undefined ? {} : { lastError: reason }) };
    run.stdout.write(`${JSON.stringify(result)}\n`);
  } else {
    run.stderr.write(`${flushInWords({ ...flushed, waiting }, host.state, reason)}\n`);
  }
  return waiting === 0 ? EXIT.done : EXIT.incomplete;
}

function flushInWords(
  { sent, givenUp, waiting }: { sent: number; givenUp: number; waiting: number },
  host: 'well' | 'down',
  reason: string | undefined,
): string {
  if (sent + givenUp + waiting === 0) return 'No health report was waiting.';
  const refused = givenUp > 0 ? ` The report host refused ${pluralize(givenUp, 'report')}.` : '';
  const rest =
    waiting === 0
      ? ''
      : host === 'down'
        ? ` ${waiting} still waiting: the report host does not take them (${reason ?? 'no answer'}).`
        : ` ${waiting} still waiting, in use by another running tankobon.`;
  return `${pluralize(sent, 'health report')} sent.${refused}${rest}`;
}

async function clear(
  folder: string,
  options: ReportStatusOptions,
  run: CommandContext,
): Promise<ExitCode> {
  const { waiting, nodes } = await readReportStatus(folder, run.clock.wallMs());
  const loads = nodes.reduce((sum, node) => sum + node.loads, 0);
  const what = `${pluralize(waiting, 'waiting report')} and the figures of ${pluralize(loads, 'load')}`;
  if (options.yes !== true && !(await confirmed(`Forget ${what}?`, run))) {
    run.stderr.write('Nothing was forgotten.\n');
    return EXIT.done;
  }
  const { inUse } = await clearReports(folder);
  const left = inUse > 0 ? ' Those in use by another running tankobon are kept.' : '';
  if (options.json === true) run.stdout.write(`${JSON.stringify({ cleared: true, inUse })}\n`);
  else run.stderr.write(`Forgotten: ${what}.${left}\n`);
  return EXIT.done;
}

async function confirmed(message: string, run: CommandContext): Promise<boolean> {
  const { stdin: input, signal } = run;
  const output = rawStream(run.stderr);
  if (!input.isTTY) {
    throw new UsageError('bad-option', 'There is no terminal to ask whether to forget them.', {
      hint: 'Type: tankobon report-status --clear --yes',
    });
  }
  const { confirm } = await import('@inquirer/prompts');
  try {
    return await confirm({ message, default: false }, { input, output, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && error.name === 'ExitPromptError') throw interruption();
    throw error;
  }
}
