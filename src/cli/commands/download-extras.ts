/** What may be asked for beside the CBZ: the cover, and the mark that a chapter was read. Neither fails a run. */
import { coversUrl } from '../../catalogue/cover.js';
import { markRead } from '../../catalogue/read-marker.js';
import type { ImageLoader } from '../../delivery/image-load.js';
import { saveCovers } from '../../download/cover.js';
import type { PlannedChapter } from '../../download/plan.js';
import { TankobonError } from '../../kernel/errors.js';
import { EXIT } from '../../kernel/exit-codes.js';
import type { ServiceClient } from '../../service/client.js';
import type { Service } from '../compose.js';
import type { Observer } from '../output/observer.js';
import type { Run } from '../run.js';
import type { DownloadOptions } from './download-wish.js';

export interface ExtrasParts {
  readonly options: DownloadOptions;
  readonly observer: Observer;
  readonly warn: (message: string) => void;
  readonly run: Run;
  readonly service: Service;
  readonly client: ServiceClient;
  readonly loader: ImageLoader;
}

/** Resolves with what stopped the run as a whole: a cooldown or a captcha that was met meanwhile. */
export async function afterwards(
  saved: readonly PlannedChapter[],
  parts: ExtrasParts,
): Promise<readonly TankobonError[]> {
  const { options, run } = parts;
  if (saved.length === 0 || run.signal.aborted) return [];
  const met: (TankobonError | undefined)[] = [];
  if (options.cover)
    met.push(await orWarn('The cover was not saved', parts, () => covers(saved, parts)));
  if (options.markRead)
    met.push(await orWarn('Not marked as read', parts, () => marks(saved, parts)));
  return met.filter((error) => error !== undefined);
}

async function covers(
  saved: readonly PlannedChapter[],
  { client, loader, run, service, observer, warn }: ExtrasParts,
) {
  const files = await saveCovers(saved, {
    client,
    loader,
    coversUrl: coversUrl(service.addresses.apiUrl),
    signal: run.signal,
    warn,
  });
  for (const file of files) observer.note(`cover saved: ${file}`);
}

async function marks(saved: readonly PlannedChapter[], { client, run }: ExtrasParts) {
  const byTitle = new Map<string | undefined, string[]>();
  for (const { job, chapter } of saved) {
    byTitle.set(chapter?.titleId, [...(byTitle.get(chapter?.titleId) ?? []), job.id]);
  }
  for (const [titleId, ids] of byTitle) await markRead(client, titleId, ids, run.signal);
}

async function orWarn(
  what: string,
  { warn }: ExtrasParts,
  act: () => Promise<void>,
): Promise<TankobonError | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    if (!(error instanceof TankobonError) || error.code === 'interrupted') throw error;
    warn(`${what}: ${error.message} ${error.hint}`);
    return error.exitCode === EXIT.cooldown || error.exitCode === EXIT.captcha ? error : undefined;
  }
}
