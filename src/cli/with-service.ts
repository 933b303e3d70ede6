/** The connection to the service for commands that download nothing. */
import { hasReports, openHealthReports, openService, type Service } from '../app/service.js';
import { waitingEvent } from '../download/events.js';
import type { CommandContext } from './command-context.js';
import { describeWait } from './output/sentences.js';

/**
 * The way to the service for a command that downloads nothing; closed when `work` is done. Health reports that an
 * earlier run had to leave go out beside it.
 */
export async function withService<T>(
  run: CommandContext,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const warn = (message: string): void => {
    run.stderr.write(`tankobon: ${message}\n`);
  };
  const service = await openService(run, {
    onWait: (wait) => {
      run.stderr.write(`${describeWait(waitingEvent(wait))}\n`);
    },
    warn,
  });
  const leftOver = run.settings.reports && (await hasReports(run, service));
  const reports = leftOver ? await openHealthReports(run, service, { warn }) : undefined;
  try {
    return await work(service);
  } finally {
    await reports?.finish(LEFT_OVER_PATIENCE_MS);
    await service.close();
  }
}

/** What a command that is about something else waits for reports of earlier runs. */
const LEFT_OVER_PATIENCE_MS = 500;
