/** The generated interfaces of the library's options have the types of the table; `npm run typecheck` compares them. */
import type { OptionDefinition, ValueOf } from '../../../src/config/option-definition.js';
import type { LibraryOptionName, OPTIONS } from '../../../src/config/options.js';
import type { LibraryDownloadOptions } from '../../../src/library-download-options.js';
import type { LibraryBindOptions } from '../../../src/library-bind-options.js';
import { parseBindOptions, parseDownloadOptions } from '../../../src/library-options.js';

type Table = typeof OPTIONS;
type LibraryValue<Definition extends OptionDefinition> = Definition['kind'] extends
  'rate' | 'duration' | 'ranges' | 'time' | 'size'
  ? string
  : NonNullable<ValueOf<Definition>>;
type SecondName<Definition> = Definition extends { readonly library: infer Second extends string }
  ? Second
  : never;
type Derived<Names extends keyof Table> = {
  readonly [Name in Names]?: LibraryValue<Table[Name]>;
} & {
  readonly [Name in Names as SecondName<Table[Name]>]?: LibraryValue<Table[Name]>;
};
type NamesOfBind = {
  [Name in keyof Table]: Table[Name] extends {
    readonly commands: { readonly bind: true | string };
  }
    ? Name
    : never;
}[keyof Table];
type Same<One, Other> = [Required<One>] extends [Required<Other>]
  ? [Required<Other>] extends [Required<One>]
    ? true
    : false
  : false;

test('it has each option, and each second name, with the type of its value', () => {
  const isSame: [
    Same<LibraryDownloadOptions, Derived<LibraryOptionName>>,
    Same<LibraryBindOptions, Derived<Exclude<NamesOfBind, 'json' | 'quiet'>>>,
  ] = [true, true];
  expect(isSame).toEqual([true, true]);
  const languages: LibraryDownloadOptions = { languages: ['en'] };
  expect(parseDownloadOptions(languages)).toEqual({ language: ['en'] });
  expect(parseBindOptions({ groups: ['Mine'], maxSize: '1M' })).toEqual({
    group: ['Mine'],
    maxSize: 1_000_000,
  });
  expect(() => parseBindOptions({ json: true } as LibraryBindOptions)).toThrow(
    'Unknown option: json',
  );
});
