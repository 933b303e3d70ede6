/** Options whose values are checked, and options that override a setting. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { settingDefinition, type SettingKey } from '../config/setting-definitions.js';
import { BYTE_RATE_EXAMPLES, parseByteRate } from '../core/byte-rate.js';
import { DURATION_EXAMPLES, parseDuration } from '../core/duration.js';

/** An option that overrides a setting, with the description, range, choices and default of the setting. */
export function settingOption(key: SettingKey, flags: string): Option {
  const definition = settingDefinition(key);
  const { flagDescription, description, range, choices, isDuration, isByteRate } = definition;
  const notes = [
    ...(range ? [`${range[0]} to ${range[1]}`] : []),
    ...(choices ? [choices.join(' or ')] : []),
    ...(['', true].includes(definition.default as string)
      ? []
      : [`default: ${definition.default}`]),
    `setting: ${key}`,
  ];
  const option = new Option(flags, `${flagDescription ?? description} (${notes.join('; ')})`);
  if (choices) option.choices(choices);
  if (range) option.argParser(integerBetween(range[0], range[1]));
  if (isDuration) option.argParser(durationText);
  if (isByteRate) option.argParser(byteRate);
  return option;
}

/** The options for which an empty value means something, as for the settings of their names. */
const MAY_BE_EMPTY = ['language', 'group', 'name', 'limitRate'];

/** Any other empty value is a mistake, such as an unset variable in a script. Throws CommanderError. */
export function refuseEmptyValues(command: Command): void {
  const values: Readonly<Record<string, unknown>> = command.optsWithGlobals();
  for (const option of command.options) {
    const name = option.attributeName();
    const isEmpty = [values[name]].flat().includes('');
    if (isEmpty && !MAY_BE_EMPTY.includes(name))
      command.error(
        `error: option '${option.flags}' argument '' is invalid. It must not be empty.`,
      );
  }
}

/** Appends the values of an option that can be repeated. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

export function durationText(text: string): string {
  if (parseDuration(text) === undefined)
    throw new InvalidArgumentError(`It must be a duration such as ${DURATION_EXAMPLES}.`);
  return text;
}

function byteRate(text: string): string {
  if (text !== '' && parseByteRate(text) === undefined)
    throw new InvalidArgumentError(`It must be a rate such as ${BYTE_RATE_EXAMPLES}.`);
  return text;
}

export function integerBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < min || value > max)
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    return value;
  };
}
