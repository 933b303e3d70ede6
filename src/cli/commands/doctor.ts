/** `tankobon doctor`: checks what tankobon needs on this machine. It sends nothing to MangaDex without `--online`. */
import type { Command } from 'commander';
import type { GivenOptions } from '../../config/options.js';
import { EXIT, type ExitCode } from '../../core/exit-codes.js';
import type { BareCommandContext, CommandRunner } from '../command-context.js';
import { addOptions } from '../command-options.js';
import { DOCTOR_EVENTS, type CheckEvent } from '../../events/doctor-events.js';
import { eventText } from '../../events/printed-event.js';
import {
  addEnvironment,
  addExamples,
  indentRest,
  MIN_DESCRIPTION_WIDTH,
  wrapText,
} from '../help-format.js';
import { paint, usesColors } from '../output/colors.js';
import { columnsOf } from '../output/own-terminal.js';
import { rawStream, safeText } from '../output/safe-stream.js';
import { eventLine } from '../output/json-line.js';

export function doctorCommand(program: Command, { runBare }: CommandRunner): Command {
  const command = program
    .command('doctor')
    .description('check folders, login, limits, hooks and settings; sends nothing to MangaDex')
    .action((options: GivenOptions) => runBare((context) => doctor(options, context)));
  addExamples(addOptions(command, 'doctor'), [
    ['tankobon doctor', 'exit code 3 if something does not work'],
    ['tankobon doctor --online', 'also ask the API, and renew the login'],
  ]);
  return addEnvironment(command, 'TANKOBON_HOME');
}

async function doctor(options: GivenOptions, context: BareCommandContext): Promise<ExitCode> {
  const { examine } = await import('../doctor/examine.js');
  const { stdout, stderr } = context;
  const counts = { ok: 0, warnings: 0, errors: 0 };
  for await (const event of examine(options, context)) {
    counts[COUNTED_AS[event.status]] += 1;
    if (options.json) stdout.write(eventLine(DOCTOR_EVENTS, event));
    else printFinding(event, context);
  }
  const summary = { type: 'doctor-summary', ...counts } as const;
  if (options.json) stdout.write(eventLine(DOCTOR_EVENTS, summary));
  else stderr.write(`${eventText(DOCTOR_EVENTS, summary)}\n`);
  return counts.errors > 0 ? EXIT.incomplete : EXIT.done;
}

const COUNTED_AS = { ok: 'ok', none: 'ok', warning: 'warnings', error: 'errors' } as const;
const COLORS = { ok: 'green', none: undefined, warning: 'yellow', error: 'red' } as const;
const STATUS_WIDTH = 'warning'.length;
const NAME_WIDTH = 'token-endpoint'.length;
const HEAD_WIDTH = STATUS_WIDTH + NAME_WIDTH + 4;

function printFinding(event: CheckEvent, { stdout, env }: BareCommandContext): void {
  const colors = usesColors(env, stdout);
  const { status, check, hint } = event;
  const color = colors && COLORS[status];
  const word = status.padEnd(STATUS_WIDTH);
  const head = `${color ? paint(word, color) : word}  ${check.padEnd(NAME_WIDTH)}`;
  const columns = (columnsOf(stdout) ?? Infinity) - 1;
  const isNarrow = columns - HEAD_WIDTH < MIN_DESCRIPTION_WIDTH;
  const indent = isNarrow ? 2 : HEAD_WIDTH;
  const lines = [event.message, ...(hint === undefined ? [] : [`hint: ${hint}`])];
  const text = indentRest(wrapText(safeText(lines.join('\n')), columns - indent), indent);
  const start = isNarrow ? `${head.trimEnd()}\n  ` : `${head}  `;
  (colors ? rawStream(stdout) : stdout).write(`${start}${text}\n`);
}
