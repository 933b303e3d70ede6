/** The connection to the service with its login, for one or several downloads. */
import { retryAfterCaptcha } from '../api/captcha.js';
import { withAnonymousFallback } from '../auth/anonymous-fallback.js';
import { sharedSignal } from '../core/abort.js';
import { interruptedError, type TankobonError } from '../core/errors.js';
import { formatDuration } from '../core/human-format.js';
import { waitingEvent } from './events.js';
import { MetadataPrefetcher } from './prefetch.js';
import type { AppContext } from '../config/context.js';
import type { DownloadRequest } from './download-request.js';
import type { DownloadListeners, ServiceSession } from './download-session.js';
import { sessionOf } from './stored-login.js';
import { openService } from './service.js';
import { describeWrongClock } from './service-time.js';

/** The largest chunk of a body that is read at once. */
const MAX_CHUNK_BYTES = 64 * 1024;

/** Opens a session for one or several downloads, and closes it when `action` is done. */
export async function withSession<T>(
  context: AppContext,
  request: Pick<DownloadRequest, 'maxOutage' | 'concurrency' | 'bytesPerSecond'>,
  listeners: DownloadListeners,
  userSignal: AbortSignal,
  action: (session: ServiceSession) => Promise<T>,
): Promise<T> {
  const closed = new AbortController();
  const signal = sharedSignal(AbortSignal.any([userSignal, closed.signal]));
  const warn = (message: string, hint?: string): void => {
    listeners.observe({ type: 'warning', message, ...(hint !== undefined && { hint }) });
  };
  const { clock } = context;
  let serviceTimeMs: number | undefined;
  const service = await openService(limitedContext(context, request), {
    onServiceTime: (serviceMs) => {
      serviceTimeMs = serviceMs;
    },
    warn,
    onWait: (wait) => {
      listeners.observe(waitingEvent(wait));
    },
    maxOutage: request.maxOutage,
    onSent: preloadOnce(signal),
    onRetry: ({ request: failed, reason, delayMs }) => {
      const message = `${failed}: ${reason} Next attempt in ${formatDuration(delayMs)}.`;
      listeners.observe({ type: 'detail', message });
    },
    minReportedWaitMs: listeners.minReportedWaitMs,
  });
  try {
    const login = sessionOf(context, service);
    const onLoginError = ({ message, hint }: TankobonError): void => {
      warn(`Continuing without a login: ${message}`, hint);
    };
    const loggedIn = service.createClient(
      withAnonymousFallback(login, clock, onLoginError, service.outages),
    );
    const { solveCaptcha } = listeners;
    const client = solveCaptcha ? retryAfterCaptcha(loggedIn, solveCaptcha) : loggedIn;
    return await action({
      context,
      listeners,
      service,
      login,
      client,
      prefetcher: new MetadataPrefetcher(client, clock, signal),
      describeWrongClock: () => {
        const nowMs = clock.wallMs();
        return describeWrongClock(nowMs, serviceTimeMs ?? nowMs);
      },
      userSignal,
      signal,
      warn,
    });
  } finally {
    closed.abort(interruptedError());
    await service.close();
  }
}

/** Loads what comes next from disk while the first answer is on its way. */
function preloadOnce(signal: AbortSignal): () => void {
  let loading: Promise<void> | undefined;
  return () => {
    loading ??= import('./save-plan.js').then(({ preload }) => preload(signal));
    // If it fails, the import that needs the module fails too.
    loading.catch(() => undefined);
  };
}

/** The context with longer time limits of pages if their rate is limited: our own pauses are not failures of a node. */
function limitedContext(
  context: AppContext,
  { bytesPerSecond, concurrency }: Pick<DownloadRequest, 'bytesPerSecond' | 'concurrency'>,
): AppContext {
  if (bytesPerSecond === undefined) return context;
  const { settings } = context;
  /** The pages in flight take turns. */
  const msFor = (bytes: number) => Math.ceil((concurrency * bytes * 1_000) / bytesPerSecond);
  return {
    ...context,
    settings: {
      ...settings,
      idleTimeoutMs: settings.idleTimeoutMs + msFor(MAX_CHUNK_BYTES),
      pageTimeoutMs: settings.pageTimeoutMs + msFor(settings.maxPageBytes),
    },
  };
}
