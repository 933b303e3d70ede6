/** What may be asked for beside the CBZ: the cover, and the mark that a chapter was read. Neither fails a run. */
import { coversUrl } from '../../api/covers.js';
import { markRead } from '../../api/read-markers.js';
import type { ImageLoaderDeps } from '../../image/load-image.js';
import { saveCovers } from '../../download/cover.js';
import type { PlannedChapter } from '../../download/plan.js';
import { TankobonError } from '../../core/errors.js';
import { EXIT } from '../../core/exit-codes.js';
import type { ServiceClient } from '../../api/client.js';
import type { Service } from '../../app/service.js';
import type { Observer } from '../output/observer.js';
import type { CommandContext } from '../command-context.js';
import type { DownloadOptions } from './download-wish.js';

export interface ExtrasDeps {
  readonly options: DownloadOptions;
  readonly observer: Observer;
  readonly warn: (message: string) => void;
  readonly run: CommandContext;
  readonly service: Service;
  readonly client: ServiceClient;
  readonly loader: ImageLoaderDeps;
}

/** Resolves with what stopped the run as a whole: a cooldown or a captcha that was met meanwhile. */
export async function afterwards(
  saved: readonly PlannedChapter[],
  parts: ExtrasDeps,
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
  { client, loader, run, service, observer, warn }: ExtrasDeps,
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

async function marks(saved: readonly PlannedChapter[], { client, run }: ExtrasDeps) {
  const byTitle = new Map<string | undefined, string[]>();
  for (const { job, chapter } of saved) {
    byTitle.set(chapter?.titleId, [...(byTitle.get(chapter?.titleId) ?? []), job.id]);
  }
  for (const [titleId, ids] of byTitle) await markRead(client, titleId, ids, run.signal);
}

async function orWarn(
  what: string,
  { warn }: ExtrasDeps,
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
