/** Options as they are typed on a command line, for tests that call a command without one. */
import { parseOptionText } from '../../src/config/option-values.js';
import { flagOf, type GivenOptions, type OptionName } from '../../src/config/options.js';

/** Texts, or parsed values. */
export type OptionTexts = { readonly [Name in OptionName]?: GivenOptions[Name] | string };

export function parseTexts(options: OptionTexts): GivenOptions {
  const entries = Object.entries(options).map(([name, value]) => {
    const known = name as OptionName;
    return typeof value === 'string'
      ? [known, parseOptionText(known, value, flagOf(known) ?? known)]
      : [known, value];
  });
  return Object.fromEntries(entries) as GivenOptions;
}
