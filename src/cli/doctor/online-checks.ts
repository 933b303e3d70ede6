/** The checks of `--online`: requests that the program makes anyway, through its client and its rate ledger. */
import { searchTitles } from '../../service/titles.js';
import { pluralize } from '../../core/human-format.js';
import { credentialsOf, sessionOf } from '../../service/login.js';
import { hasReports, openHealthReports, withService } from '../../service/service.js';
import type { CommandContext } from '../command-context.js';
import { describeAccessToken } from '../output/token-expiry.js';
import { messagesOf } from '../with-service.js';
import { ok, warning } from './run-checks.js';
import type { Finding } from '../../events/doctor-events.js';

/** Any title that the search finds, and none, shows that the API answers. */
const WORDS = 'tankobon';

export async function checkApi(context: CommandContext): Promise<Finding[]> {
  return withService(context, messagesOf(context), async (service) => {
    const { signal } = context;
    await searchTitles(service.anonymous, WORDS, { limit: 1, signal });
    const { host } = service.addresses.apiUrl;
    const wrongClock = service.describeWrongClock();
    if (wrongClock === undefined) return [ok(`${host} answers`)];
    return [
      warning(`${host} answers, but ${wrongClock}`, 'Set the clock: tokens expire at wrong times.'),
    ];
  });
}

/** Without a login nothing could be sent but a password. */
export async function checkTokenEndpoint(context: CommandContext): Promise<Finding[]> {
  const stored = await credentialsOf(context).readForApi();
  if (!stored?.login.tokens) return [ok('not contacted: there is no login to renew')];
  return withService(context, messagesOf(context), async (service) => {
    const tokens = await sessionOf(context, service).refresh(context.signal);
    const expiry = describeAccessToken(tokens, context.clock.wallMs());
    return [ok(`${service.addresses.authUrl.host} renewed the login. ${expiry}`)];
  });
}

/** Only reports of loads that happened are sent. */
export async function checkReportHost(context: CommandContext): Promise<Finding[]> {
  const messages = messagesOf(context);
  return withService(context, messages, async (service) => {
    const { host } = service.addresses.networkUrl;
    if (!context.settings.reports || !(await hasReports(context, service)))
      return [ok('not contacted: no health report waits')];
    const sender = await openHealthReports(context, service, messages);
    const { sent, givenUp } = await sender.flush(context.signal);
    await sender.finish(0);
    const hint = 'They are sent later. Run: tankobon report-status';
    if (sent + givenUp > 0)
      return [ok(`${host} answers: ${pluralize(sent, 'health report')} sent`)];
    return [warning(`${host} did not accept the waiting health reports`, hint)];
  });
}
