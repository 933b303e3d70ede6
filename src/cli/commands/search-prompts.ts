/** The questions of `tankobon search` at a terminal. Esc and Ctrl-C cancel the command. */
import type { Title } from '../../service/titles.js';
import { formatDuration, pluralize } from '../../core/human-format.js';
import { printableLine } from '../../core/printable.js';
import type { Plan } from '../../download/plan.js';
import type { CommandContext } from '../command-context.js';
import { chooseLanguage } from '../language-prompt.js';
import { moreTitlesNote, titleChoice } from '../output/title-table.js';
import { titleWebUrl } from '../../config/service-addresses.js';
import { askYes, choiceColumns, choose, MAX_MENU_ROWS } from '../prompt.js';
import { minPlanTimeMs } from '../../download/plan.js';

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
