/** The generated interface of the library's options has the types of the table; `npm run typecheck` compares them. */
import type { OptionDefinition, ValueOf } from '../../../src/config/option-definition.js';
import type { LibraryOptionName, OPTIONS } from '../../../src/config/options.js';
import type { LibraryDownloadOptions } from '../../../src/library-download-options.js';
import { parseDownloadOptions } from '../../../src/library-options.js';

type Table = typeof OPTIONS;
type LibraryValue<Definition extends OptionDefinition> = Definition['kind'] extends
  'rate' | 'duration' | 'ranges' | 'time'
  ? string
  : NonNullable<ValueOf<Definition>>;
type Derived = {
  readonly [Name in LibraryOptionName]?: LibraryValue<Table[Name]>;
} & {
  readonly [
    Name in LibraryOptionName as Table[Name]['library'] extends string
      ? Table[Name]['library']
      : never
  ]?: LibraryValue<Table[Name]>;
};
type Same<One, Other> = [Required<One>] extends [Required<Other>]
  ? [Required<Other>] extends [Required<One>]
    ? true
    : false
  : false;

test('it has each option, and each second name, with the type of its value', () => {
  const isSame: Same<LibraryDownloadOptions, Derived> = true;
  expect(isSame).toBe(true);
  const languages: LibraryDownloadOptions = { languages: ['en'] };
  expect(parseDownloadOptions(languages)).toEqual({ language: ['en'] });
});
