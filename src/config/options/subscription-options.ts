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
  status: {
    kind: 'choices',
    description: 'only with these reading statuses',
    choices: READING_STATUSES,
    placeholder: 'statuses',
    commands: { 'sync import-follows': true },
  },
} as const satisfies Record<string, OptionDefinition>;
