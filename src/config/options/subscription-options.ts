/** Options of `tankobon sync` and its subcommands, besides those of a title. */
import { HOOK_EVENTS } from '../hook-services.js';
import { READING_STATUSES } from '../reading-statuses.js';
import { switchOf, type OptionDefinition } from '../option-definition.js';

export const SUBSCRIPTION_OPTIONS = {
  file: {
    kind: 'path',
    description: 'the subscriptions file (see: tankobon sync path)',
    placeholder: 'file',
    commands: {
      sync: true,
      adopt: true,
      'sync add': true,
      'sync remove': true,
      'sync list': true,
      'sync import': true,
      'sync status': true,
      'sync edit': true,
      'sync path': true,
      doctor: true,
      'sync forget': true,
      'sync pin': true,
      'sync block': true,
      'sync hook add': true,
      'sync hook list': true,
      'sync hook remove': true,
      'sync hook test': true,
      retag: 'the subscriptions file, whose keys `series` and `title-language` name titles',
    },
  },
  every: {
    kind: 'duration',
    description: 'repeat until stopped, such as 6h; at least 15m',
    example: '6h',
    commands: { sync: true },
  },
  hours: {
    kind: 'hours',
    description: 'with --every: run in these hours of the day only, by local time, such as 1-7',
    example: '1-7',
    commands: { sync: true },
  },
  only: {
    kind: 'texts',
    description: 'only titles with one of these in name, URL or folder',
    placeholder: 'names...',
    commands: { sync: true },
  },
  redownload: switchOf('sync', 'download chapters again whose files are gone'),
  unset: {
    kind: 'texts',
    description: 'remove an option, by its key in the file; repeatable',
    placeholder: 'key',
    commands: { 'sync add': true },
  },
  library: {
    kind: 'text',
    description: 'for komga: id of the library, as in its address',
    placeholder: 'id',
    commands: { 'sync hook add': true },
  },
  pathMap: {
    kind: 'texts',
    description: 'for kavita: your folder and the path that the server sees; can be repeated',
    placeholder: 'from=to',
    commands: { 'sync hook add': true },
  },
  body: {
    kind: 'text',
    description:
      'for webhook: the body, a text or JSON, with {text}, {series}, {chapters}, {folder}, {secret}',
    placeholder: 'template',
    commands: { 'sync hook add': true },
  },
  header: {
    kind: 'texts',
    description: 'for webhook: a header, with the same fields; can be repeated',
    placeholder: 'name:value',
    commands: { 'sync hook add': true },
  },
  on: {
    kind: 'choices',
    description: 'what to call the hook for, separated by commas; without it, for new chapters',
    choices: HOOK_EVENTS,
    placeholder: 'events',
    commands: { 'sync hook add': true },
  },
  status: {
    kind: 'choices',
    description: 'only with these reading statuses',
    choices: READING_STATUSES,
    placeholder: 'statuses',
    commands: { 'sync import': true },
  },
} as const satisfies Record<string, OptionDefinition>;
