/** The commands that show how politely we go about: limits, report-status. */
import type { LimitsOptions } from '../commands/limits.js';
import type { ReportStatusOptions } from '../commands/report-status.js';
import type { ToldCommand } from './told-command.js';
import { COMMAND_GROUPS, type TreeParts } from './tree-parts.js';

export function addMannersCommands(program: ToldCommand, parts: TreeParts): void {
  program.commandsGroup(COMMAND_GROUPS.manners);
  addLimits(program, parts);
  addReportStatus(program, parts);
}

function addLimits(program: ToldCommand, { run, done }: TreeParts): void {
  program
    .command('limits')
    .description('what is used of the service’s limits, who waits, and any cooldown in force')
    .option('--json', 'one JSON object on standard output')
    .option('--reset', 'forget what is recorded, after a question; the service does not forget')
    .example('tankobon limits', 'of all tankobons of this machine together')
    .reads('TANKOBON_LEDGER')
    .action(async (options: LimitsOptions) => {
      const surroundings = await run();
      const { limits } = await import('../commands/limits.js');
      done(await limits(options, surroundings));
    });
}

function addReportStatus(program: ToldCommand, { run, done }: TreeParts): void {
  program
    .command('report-status')
    .description('what the edge network was told of its nodes, what waits, and how they fare')
    .option('--flush', 'send what waits now, and say how it went')
    .option('--html <file>', 'write the figures as one page for a browser')
    .option('--clear', 'forget all reports and figures, after a question')
    .option('--yes', 'do not ask')
    .option('--json', 'one JSON object on standard output')
    .example('tankobon report-status --flush', 'after the report host was down')
    .action(async (options: ReportStatusOptions) => {
      const surroundings = await run();
      const { reportStatus } = await import('../commands/report-status.js');
      done(await reportStatus(options, surroundings));
    });
}
