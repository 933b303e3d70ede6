/** What the keys of the subscriptions file mean, besides those of the table of options: for help and documentation. */
import { kebabCase, optionDefinition, SERIES_OPTION_NAMES } from '../config/options.js';

type Keys = Readonly<Record<string, string>>;

/** An id of a subscriptions file, which is the name of a folder too. */
export const HISTORY_ID = /^[\w-]{1,64}$/;

export const FILE_KEYS = {
  series: 'a list of titles, each a map of the keys of a title, or its `target` alone',
  defaults: 'the keys of a title, without `target`, for all titles that do not have them',
  follows:
    '`true`: the titles that the logged-in account follows, with the defaults; `{ status: [reading] }`: only those with these reading statuses',
  hooks:
    'what to notify: a map of the hooks. Each is called for new chapters; `exec`, `webhook` and `ntfy` as maps with `on: [new, failed, taken-down]` for these',
  id: 'names the history of the file; written by `tankobon sync`',
} as const satisfies Keys;

export const HOOK_KEYS = {
  exec: 'a list: a command and its arguments, run without a shell, with JSON on standard input, for at most 60 seconds; or a map of `command` and `on`',
  webhook:
    'URL to which the same JSON is sent as a POST; or a map of `url`, `on`, `body` and `headers`, whose texts may contain `{text}`, `{series}`, `{chapters}`, `{folder}` and `{secret}`',
  ntfy: 'URL of a topic, to which a line of text is sent; or a map of `url` and `on`',
  komga: '`{ url: "http://nas:25600", library: ID }`: scans the library',
  kavita:
    '`{ url: "http://nas:5000", path-map: { /home/me/Comics: /comics } }`: scans the folder of the title',
} as const satisfies Keys;

/** The keys of a title. `format` is part of `bind`. */
export const SERIES_KEYS: Keys = {
  target:
    'URL or UUID of a title, or of a list (`list:UUID`), of a group (`group:UUID`: only its releases) or of an author (`author:UUID`: all titles); required',
  title: 'the name of the title, list, group or author, for people; written by `tankobon sync add`',
  ...Object.fromEntries(
    SERIES_OPTION_NAMES.flatMap((name) => {
      const { isKey } = optionDefinition(name);
      return typeof isKey === 'string' ? [[kebabCase(name), isKey]] : [];
    }),
  ),
};

/** An example of the whole file. */
export const SUBSCRIPTIONS_EXAMPLE = `defaults: { language: [en], output: ~/Comics }
series:
  - target: https://mangadex.org/title/UUID
    group: [Preferred Scans, Other Scans]
    wait-for-group: 2d
hooks:
  komga: { url: "http://nas:25600", library: LIBRARY_ID }`;

/** By where they stand: in the file itself, in the entry of a title, and below `hooks`. */
export const SUBSCRIPTION_KEYS = { file: FILE_KEYS, series: SERIES_KEYS, hooks: HOOK_KEYS };
