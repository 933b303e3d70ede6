/** A chapter that is a target itself, and of which a file has another release: a question at a terminal, or a warning. */
import type { GivenOptions } from '../config/options.js';
import { pluralize } from '../core/human-format.js';
import { printableLine } from '../core/printable.js';
import { shellQuoted } from '../core/shell-quoted.js';
import type { PlanListeners } from '../download/run-download.js';
import { nameOf } from '../events/chapter-fields.js';
import { chapterFields } from '../selection/chapter-fields.js';
import type { CommandContext } from './command-context.js';
import type { Observer } from './output/observer.js';
import { canAsk, choose } from './prompt.js';

type Listener = NonNullable<PlanListeners['onOtherReleases']>;
type Found = Parameters<Listener>[0];

/** More chapters are only counted. */
const MAX_NAMED = 10;

export function otherReleases(
  { json, quiet, dryRun }: GivenOptions,
  context: CommandContext,
  observer: Observer,
): Listener {
  if (canAsk(context) && !json && !quiet && !dryRun)
    return (found) => observer.whilePrompting(() => ask(found, context));
  return async (found) => {
    for (const warning of await warnings(found, context))
      observer.observe({ type: 'warning', ...warning });
    return 'both';
  };
}

async function ask(found: Found, context: CommandContext): ReturnType<Listener> {
  const [first, ...others] = found;
  if (!first) return 'both';
  const these = pluralize(found.length, 'chapter');
  const message =
    others.length === 0
      ? `Saved already in another release: ${printableLine(nameOfSaved(first))}. Keep which?`
      : `Saved already in other releases: ${these}. Keep which?`;
  const files = found.length === 1 ? printableLine(first.file) : 'the saved files';
  const replace = {
    name: 'replace: the new one in its place',
    short: 'replace',
    description: `It takes the place of ${files}`,
    value: 'replace' as const,
  };
  return choose<Awaited<ReturnType<Listener>>>(context, message, [
    { name: 'both, in two files', short: 'both', value: 'both' },
    ...(found.every(({ mayBeReplaced }) => mayBeReplaced) ? [replace] : []),
    { name: 'nothing: only the saved one', short: 'nothing', value: 'nothing' },
  ]);
}

/** In a pipe both are kept; what helps depends on whether `sync` knows the title. */
async function warnings(found: Found, context: CommandContext) {
  const { SubscriptionList } = await import('../sync/subscription-list.js');
  // `sync` says what is wrong with an invalid file.
  const list = await SubscriptionList.readIfExists(undefined, context).catch(() => undefined);
  const named = found.slice(0, MAX_NAMED).map((each) => {
    const { chapter, file } = each;
    const isSubscribed = list?.findById(chapter.titleId ?? '') !== undefined;
    const pin = `let sync take it: ${list?.commandLine(`pin ${chapter.id}`) ?? ''}`;
    return {
      message: `Another release of the chapter is saved, and both are kept: ${printableLine(file)}`,
      hint: `To keep only the new one, remove that file: rm -i -- ${shellQuoted(file)}${isSubscribed ? `; and ${pin}` : ''}`,
    };
  });
  const rest = found.length - named.length;
  if (rest === 0) return named;
  const message = `Other releases of ${pluralize(rest, 'more chapter')} are saved, and both are kept.`;
  return [...named, { message }];
}

function nameOfSaved({ saved }: Found[number]): string {
  return nameOf({ chapter: saved.id, ...chapterFields(saved) });
}
