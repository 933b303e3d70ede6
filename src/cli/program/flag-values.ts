/** How the text of a flag becomes its value, and what a flag says of the setting behind it. */
import { InvalidArgumentError, Option } from 'commander';
import { DURATION_EXAMPLES, parseDuration } from '../../core/duration.js';
import { settingDefinition, type SettingKey } from '../../app/setting-definitions.js';

/** A flag that overrides a setting: its meaning, range, words and default are the setting's own. */
export function settingFlag(key: SettingKey, flags: string): Option {
  const { meaning, flagMeaning, default: usual, range, words, isDuration } = settingDefinition(key);
  const facts = [
    ...(range ? [`${range[0]} to ${range[1]}`] : []),
    ...(words ? [words.join(' or ')] : []),
    ...(typeof usual === 'boolean' || usual === '' ? [] : [`default: ${usual}`]),
    `setting: ${key}`,
  ];
  const option = new Option(flags, `${asPhrase(flagMeaning ?? meaning)} (${facts.join('; ')})`);
  if (words) option.choices(words);
  if (range) option.argParser(wholeNumber(range[0], range[1]));
  if (isDuration === true) option.argParser(durationText);
  return option;
}

/** A sentence as a phrase of a list: without its capital and its full stop. */
function asPhrase(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function durationText(text: string): string {
  if (parseDuration(text) === undefined)
    throw new InvalidArgumentError(`It must be such as ${DURATION_EXAMPLES}.`);
  return text;
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}
