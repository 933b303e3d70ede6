/** `tankobon report-status`: the health reports sent and waiting, and the statistics of the nodes. */
import type { Command } from 'commander';
import { resolve } from 'node:path';
import { UsageError } from '../../core/errors.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import { pluralize } from '../../core/human-format.js';
import type { GivenOptions } from '../../config/options.js';
import type { CommandContext, CommandRunner } from '../command-context.js';
import { addOptions } from '../command-options.js';
import { addExamples } from '../help-format.js';
import { usesColors } from '../output/colors.js';
import { glyphsFor } from '../output/glyphs.js';
import { columnsOf } from '../output/own-terminal.js';
import { rawStream, safeTexts } from '../output/safe-stream.js';
import { confirm } from '../prompt.js';
import { jsonLine } from '../output/json-line.js';

const DEFAULT_COLUMNS = 80;

export function reportStatusCommand(program: Command, { run }: CommandRunner): Command {
  const command = program
    .command('report-status')
    .description(
      'show the health reports sent and waiting, and the statistics of the MangaDex@Home nodes',
    )
    .action((options: GivenOptions) => run((context) => reportStatus(options, context)));
  return addExamples(addOptions(command, 'report-status'), [
    ['tankobon report-status --flush', 'after an outage of the report host'],
  ]);
}

/**
 * Exit code 3 if a flush leaves reports waiting. Throws UsageError('bad-option') for options that exclude each other
 * or a confirmation without a terminal, and UsageError('bad-output') if the page cannot be written.
 */
export async function reportStatus(
  options: GivenOptions,
  context: CommandContext,
): Promise<ExitCode> {
  if (options.flush && options.clear)
    throw new UsageError('bad-option', '--flush and --clear exclude each other.');
  if (options.html !== undefined) {
    const { checkPage } = await import('../../core/html-page.js');
    await checkPage(options.html, options.json);
  }
  if (options.clear) return clear(options, context);
  const code = options.flush ? await flush(options, context) : EXIT.done;
  // With --json, the one object is that of the flush.
  if (!options.json || !options.flush) await show(options, context);
  return code;
}

async function readStatus(context: CommandContext) {
  const { readReportStatus } = await import('../../service/reports.js');
  return readReportStatus(context);
}

async function show({ html, json }: GivenOptions, context: CommandContext): Promise<void> {
  const { stdout, stderr, env, clock } = context;
  const nowMs = clock.wallMs();
  const status = await readStatus(context);
  if (html !== undefined) {
    const { STANDARD_OUTPUT, writeHtmlPage } = await import('../../core/html-page.js');
    const { reportPage } = await import('../../service/reports.js');
    await writeHtmlPage(html, await reportPage(status, nowMs), stdout);
    if (html !== STANDARD_OUTPUT) stderr.write(`Page written: ${resolve(html)}\n`);
  }
  if (json) stdout.write(jsonLine(status));
  else if (html === undefined) {
    const { reportTable } = await import('../output/report-table.js');
    const colors = usesColors(env, stdout);
    const columns = columnsOf(stdout) ?? DEFAULT_COLUMNS;
    const table = reportTable(safeTexts(status), {
      columns,
      colors,
      nowMs,
      glyphs: glyphsFor(env),
    });
    (colors ? rawStream(stdout) : stdout).write(table);
  }
}

async function flush({ json }: GivenOptions, context: CommandContext): Promise<ExitCode> {
  const { openHealthReports, withService } = await import('../../service/service.js');
  const { messagesOf } = await import('../with-service.js');
  const { signal, stdout, stderr } = context;
  const messages = messagesOf(context);
  const flushed = await withService(context, messages, async (service) => {
    const sender = await openHealthReports(context, service, messages);
    const result = await sender.flush(signal);
    await sender.finish(0);
    return result;
  });
  signal.throwIfAborted();
  const { host, waiting } = await readStatus(context);
  const result = { ...flushed, waiting, lastError: host.lastError?.reason };
  if (json) stdout.write(jsonLine(result));
  else stderr.write(`${describeFlush(result, host.state)}\n`);
  return waiting === 0 ? EXIT.done : EXIT.incomplete;
}

function describeFlush(
  {
    sent,
    givenUp,
    waiting,
    lastError = 'no answer',
  }: { sent: number; givenUp: number; waiting: number; lastError?: string },
  host: 'up' | 'down',
): string {
  if (sent + givenUp + waiting === 0) return 'No health report was waiting.';
  const sentences = [`${pluralize(sent, 'health report')} sent.`];
  if (givenUp > 0) sentences.push(`${givenUp} refused by the report host.`);
  if (waiting > 0) {
    const reason =
      host === 'down'
        ? `the report host is not accepting reports (${lastError})`
        : 'in use by another running tankobon';
    sentences.push(`${waiting} still waiting: ${reason}.`);
  }
  return sentences.join(' ');
}

async function clear({ yes, json }: GivenOptions, context: CommandContext): Promise<ExitCode> {
  const { clearReports } = await import('../../service/reports.js');
  const { stdout, stderr } = context;
  const { waiting, nodes } = await readStatus(context);
  const loads = nodes.reduce((sum, node) => sum + node.loads, 0);
  const what = `${pluralize(waiting, 'waiting report')} and the figures of ${pluralize(loads, 'load')}`;
  const hint = 'Run: tankobon report-status --clear --yes';
  if (!yes && !(await confirm(context, `Delete ${what}?`, hint))) {
    stderr.write('Nothing deleted.\n');
    return EXIT.done;
  }
  const { inUse, isInUse } = await clearReports(context);
  const kept = isInUse ? ' Those in use by another running tankobon are kept.' : '';
  if (json) stdout.write(jsonLine({ cleared: true, inUse }));
  else stderr.write(`Deleted: ${what}.${kept}\n`);
  return EXIT.done;
}
