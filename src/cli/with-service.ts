import { hasReports, openHealthReports, openService, type Service } from '../download/service.js';
import { waitingEvent } from '../download/events.js';
import type { CommandContext } from './command-context.js';
import { warnTo } from './output/error-message.js';
import { WaitLines } from './output/sentences.js';

/** How long such a command waits for health reports that earlier runs left. */
const MAX_REPORT_WAIT_MS = 500;

/**
 * Connects to the service for a command that downloads nothing, and disconnects when `work` is done. Meanwhile, health
 * reports that earlier runs left are sent.
 */
export async function withService<T>(
  context: CommandContext,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const { stderr, clock, settings } = context;
  const warn = warnTo(stderr);
  const waits = new WaitLines();
  const service = await openService(context, {
    onWait: (wait) => {
      for (const line of waits.linesFor(waitingEvent(wait), clock.wallMs()))
        stderr.write(`${line}\n`);
    },
    warn,
  });
  const sendsReports = settings.reports && (await hasReports(context, service));
  const reports = sendsReports ? await openHealthReports(context, service, { warn }) : undefined;
  try {
    return await work(service);
  } finally {
    await reports?.finish(MAX_REPORT_WAIT_MS);
    await service.close();
  }
}
