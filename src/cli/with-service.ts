import {
  hasReports,
  openHealthReports,
  withService as openService,
  type Service,
  type ServiceOptions,
} from '../service/service.js';
import { waitingEvent } from '../events/download-events.js';
import type { CommandContext } from './command-context.js';
import { warnTo } from './output/error-message.js';
import { WaitLines } from './output/sentences.js';

/** How long such a command waits for health reports that earlier runs left. */
const MAX_REPORT_WAIT_MS = 500;

/** For a command that downloads nothing: waits and warnings go to standard error. */
export function messagesOf({ stderr, clock }: CommandContext): ServiceOptions {
  const waits = new WaitLines();
  return {
    onWait: (wait) => {
      for (const line of waits.linesFor(waitingEvent(wait), clock.wallMs()))
        stderr.write(`${line}\n`);
    },
    warn: warnTo(stderr),
  };
}

/**
 * Connects to the service for a command that downloads nothing, and disconnects when `work` is done. Meanwhile, health
 * reports that earlier runs left are sent.
 */
export async function withService<T>(
  context: CommandContext,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const messages = messagesOf(context);
  return openService(context, messages, async (service) => {
    const sendsReports = context.settings.reports && (await hasReports(context, service));
    const reports = sendsReports ? await openHealthReports(context, service, messages) : undefined;
    try {
      return await work(service);
    } finally {
      await reports?.finish(MAX_REPORT_WAIT_MS);
    }
  });
}
