/** Options of `tankobon sync` and its subcommands, besides those of a title. */
import { READING_STATUSES } from '../../api/reading-statuses.js';
import type { OptionDefinition } from './option-definition.js';

export const SUBSCRIPTION_OPTIONS = {
  file: {
    kind: 'text',
    description: 'the subscriptions file (default: subscriptions.yaml in the configuration folder)',
    placeholder: 'file',
    commands: {
      sync: true,
      'sync add': true,
      'sync remove': true,
      'sync list': true,
      'sync import-follows': true,
      'sync status': true,
      'sync edit': true,
      'sync path': true,
      'sync forget': true,
    },
  },
  every: {
    kind: 'duration',
    description: 'repeat until stopped, such as 6h; at least 15m',
    example: '6h',
    placeholder: 'duration',
    commands: { sync: true },
  },
  only: {
    kind: 'texts',
    description: 'only titles whose URL, folder or name contains one of these',
    placeholder: 'names...',
    commands: { sync: true },
  },
  redownload: {
    kind: 'switch',
    description: 'download chapters again whose files are gone',
    commands: { sync: true },
  },
  unset: {
    kind: 'texts',
    description: 'remove an option of the subscription, by its key in the file; can be repeated',
    placeholder: 'key',
    commands: { 'sync add': true },
  },
  status: {
    kind: 'choices',
    description: 'only with these reading statuses',
    choices: READING_STATUSES,
    placeholder: 'statuses',
    commands: { 'sync import-follows': true },
  },
} as const satisfies Record<string, OptionDefinition>;
