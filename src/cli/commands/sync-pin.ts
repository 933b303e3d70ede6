/** `tankobon sync pin` and `sync block`: write the choice of a release into the subscription of its title. */
import type { GivenOptions } from '../../config/options.js';
import { ChapterError, UsageError } from '../../core/errors.js';
import { printableLine } from '../../core/printable.js';
import { chapterName } from '../../events/chapter-fields.js';
import { chapterFields } from '../../selection/chapter-fields.js';
import { fetchChapters, type Chapter } from '../../service/chapters.js';
import { subscribe } from '../../sync/edit-subscriptions.js';
import { SubscriptionList } from '../../sync/subscription-list.js';
import type { CommandContext } from '../command-context.js';
import { warnTo } from '../output/error-message.js';
import { withService } from '../with-service.js';

const DONE = { pin: 'Pinned', block: 'Blocked' } as const;

/** Throws UsageError `bad-target` for what is not a chapter of a subscribed title, and ChapterError `chapter-not-found`. */
export async function decideReleases(
  key: 'pin' | 'block',
  words: readonly string[],
  flags: GivenOptions,
  context: CommandContext,
): Promise<undefined> {
  const { stderr } = context;
  const list = await SubscriptionList.read(flags.file, context);
  const ids = [...new Set(words.map((word) => chapterId(word, list)))];
  const options = { warn: warnTo(stderr), signal: context.signal };
  const found = await withService(context, ({ anonymous }) =>
    fetchChapters(anonymous, ids, options),
  );
  const chapters = ids.map((id) => chapterOf(id, found, list));
  for (const { chapter, subscription } of chapters) {
    const change = { entry: {}, releases: { key, ids: [chapter.id] } };
    await subscribe(list.file, subscription.text, change, context);
    const { group, volume, number, chapterTitle } = chapterFields(chapter);
    const name = [
      chapterName({ volume, number, chapterTitle }) ?? chapter.id,
      ...(group === undefined ? [] : [`[${group}]`]),
    ];
    const of = `${list.labelOf(subscription)}: ${name.join(' ')}`;
    const mismatch = key === 'pin' ? await list.mismatchOf(subscription, chapter) : undefined;
    const next = mismatch ? '' : ' The next sync follows it.';
    stderr.write(`${DONE[key]}: ${printableLine(of)}.${next}\n`);
    if (mismatch)
      options.warn(
        `The sync does not take it, since ${printableLine(mismatch)}.`,
        `To change what the subscription takes, run: ${list.commandLine('edit')}`,
      );
  }
}

function chapterId(word: string, list: SubscriptionList): string {
  const { kind, id } = list.parseTarget(word);
  if (kind === 'chapter' || kind === 'any') return id;
  throw new UsageError('bad-target', `Not a chapter: ${printableLine(word)}`, {
    hint: 'Pass its address, such as: https://mangadex.org/chapter/UUID',
  });
}

function chapterOf(id: string, found: ReadonlyMap<string, Chapter>, list: SubscriptionList) {
  const chapter = found.get(id);
  if (!chapter) throw new ChapterError('chapter-not-found', `Chapter not found: ${id}`);
  const titleId = chapter.titleId ?? chapter.partialTitle?.id ?? '';
  const subscription = list.findById(list.currentId(titleId));
  if (subscription) return { chapter, subscription };
  const name = chapter.partialTitle?.name ?? titleId;
  throw new UsageError(
    'bad-target',
    `Not a title of the subscriptions file: ${printableLine(name)}`,
    {
      hint: `Give it an entry of its own, then try again: ${list.commandLine(`add title:${titleId}`)}`,
    },
  );
}
