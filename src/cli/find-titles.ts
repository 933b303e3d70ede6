/** Titles by their names or by the address of one, and the questions about them. Esc and Ctrl-C cancel the command. */
import type { Title } from '../service/titles.js';
import type { GivenOptions } from '../config/options.js';
import { titleWebUrl } from '../config/service-addresses.js';
import { ChapterError } from '../core/errors.js';
import { formatDuration, pluralize } from '../core/human-format.js';
import { printableLine } from '../core/printable.js';
import { minPlanTimeMs, type Plan } from '../download/plan.js';
import type { Target } from '../selection/target.js';
import type { CommandContext } from './command-context.js';
import { chooseLanguage } from './language-prompt.js';
import { warnTo } from './output/error-message.js';
import { moreTitlesNote, titleChoice } from './output/title-table.js';
import { askYes, choiceColumns, choose, MAX_MENU_ROWS } from './prompt.js';

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

export async function chooseTitle(
  titles: readonly Title[],
  total: number,
  context: CommandContext,
): Promise<Title> {
  const columns = choiceColumns(context);
  const choices = titles.map((title) => ({
    name: titleChoice(title, columns),
    short: printableLine(title.name),
    description: titleWebUrl(title.id),
    value: title,
  }));
  context.stderr.write(moreTitlesNote(titles.length, total));
  const rows = titles.length > MAX_MENU_ROWS ? `${MAX_MENU_ROWS} of ${titles.length} shown; ` : '';
  return choose(context, `Which title? (${rows}Esc to cancel)`, choices);
}

/** The value of `--language`: asked where the title has several and no option decides. */
export async function chooseTitleLanguage(
  { languages }: Title,
  language: readonly string[] | undefined,
  context: CommandContext,
): Promise<readonly string[]> {
  if (language !== undefined) return language;
  if (languages.length <= 1) return languages;
  const sorted = [...languages].sort().map((code) => ({ code }));
  return chooseLanguage(sorted, context.settings.language?.[0], context);
}

/** Such as `1,680 chapters in en, at least 42 min, into /home/me/Comics. Download?` */
export async function confirmPlan(
  plan: Plan,
  output: string,
  context: CommandContext,
): Promise<boolean> {
  const languages = new Set(plan.chapters.flatMap(({ chapter }) => chapter?.language ?? []));
  const count = pluralize(plan.chapters.length, 'chapter');
  const time = minPlanTimeMs(plan);
  const least = time === 0 ? '' : `, at least ${formatDuration(time)}`;
  const message = `${count} in ${[...languages].sort().join(', ')}${least}, into ${printableLine(output)}. Download?`;
  return askYes(context, message);
}
