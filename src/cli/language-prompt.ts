/** Which of the languages of a title to download, asked at the terminal. */
import { formatCount } from '../core/human-format.js';
import { printableLine } from '../core/printable.js';
import type { CommandContext } from './command-context.js';
import { choose } from './prompt.js';

/** A language, and its number of chapters if it is known. */
interface LanguageChoice {
  readonly code: string;
  readonly chapters?: number;
}

/**
 * `all` is an empty list.
 *
 * @param preferred the language that is preselected
 */
export async function chooseLanguage(
  languages: readonly LanguageChoice[],
  preferred: string | undefined,
  context: CommandContext,
): Promise<readonly string[]> {
  const choices = languages.map(({ code, chapters }) => {
    const shown = printableLine(code);
    return {
      name: chapters === undefined ? shown : `${shown}  (${formatCount(chapters)})`,
      short: shown,
      value: code,
    };
  });
  const answer = await choose<string | undefined>(
    context,
    'Language?',
    [...choices, { name: `all ${languages.length} languages`, value: undefined }],
    languages.some(({ code }) => code === preferred) ? preferred : 'en',
  );
  return answer === undefined ? [] : [answer];
}
