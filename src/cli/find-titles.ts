/** Titles by their names or by the address of one, for the commands that let a person choose one. */
import type { Title } from '../service/titles.js';
import type { GivenOptions } from '../config/options.js';
import { ChapterError } from '../core/errors.js';
import type { Target } from '../selection/target.js';
import type { CommandContext } from './command-context.js';
import { warnTo } from './output/error-message.js';

interface FindOptions extends Pick<GivenOptions, 'limit'> {
  readonly languages: readonly string[];
  /** The title itself, in place of words. */
  readonly target?: Target | undefined;
  readonly withPeople?: boolean | undefined;
}

interface FoundTitles {
  readonly titles: readonly Title[];
  /** How many the service has; it sends no more than were asked for. */
  readonly total: number;
}

/** Sends one request. */
export async function findTitles(
  words: string,
  { languages, limit, target, withPeople }: FindOptions,
  context: CommandContext,
): Promise<FoundTitles> {
  const { stderr, signal } = context;
  const { withService } = await import('./with-service.js');
  const { fetchTitles, searchTitles } = await import('../service/titles.js');
  const options = { signal, warn: warnTo(stderr) };
  return withService(context, async ({ anonymous }) => {
    if (!target)
      return searchTitles(anonymous, words, { ...options, languages, limit, withPeople });
    const { titles } = await fetchTitles(anonymous, [target.id], options);
    return { titles: [...titles.values()], total: titles.size };
  });
}

const OTHER_WORDS = 'Try fewer words, or another of its names.';

export function nothingFound(words: string, languages: readonly string[]): ChapterError {
  const inLanguages = languages.length === 0 ? '' : ` with chapters in ${languages.join(' or ')}`;
  return new ChapterError('title-not-found', `No title${inLanguages} found: ${words}`, {
    hint: languages.length === 0 ? OTHER_WORDS : `${OTHER_WORDS} For all languages: --language all`,
  });
}
