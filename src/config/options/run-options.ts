/** Options of one run of a command: what it asks, what it prints, and what only one command does. */
import { HOOK_SERVICES } from '../hook-services.js';
import { switchOf, type OptionDefinition } from '../option-definition.js';

const JSON_OBJECT = 'print one JSON object';

export const RUN_OPTIONS = {
  limit: {
    kind: 'integer',
    description: 'maximum number of titles',
    default: 20,
    // The maximum page size of the API.
    range: [1, 100],
    placeholder: 'n',
    commands: { search: true },
  },
  first: switchOf('search', 'take the best match, and download it without a question'),
  serve: switchOf('demo', 'keep the server running and print the environment for another terminal'),
  username: {
    kind: 'text',
    description: 'name of the account (TANKOBON_USERNAME)',
    placeholder: 'name',
    commands: { login: true },
  },
  clientId: {
    kind: 'text',
    description: 'id of the personal client, personal-client-… (TANKOBON_CLIENT_ID)',
    placeholder: 'id',
    commands: { login: true },
  },
  stdin: switchOf(
    'login',
    'read a JSON object from standard input: username, password, clientId, clientSecret; with --for the key',
  ),
  insecureStorage: switchOf(
    'login',
    'store the login unencrypted in a file that only you can read, not in the keychain',
  ),
  check: {
    kind: 'switch',
    description: 'only check the stored login: renew it, and say whether it is valid',
    conflictsWith: 'for',
    commands: { login: true },
  },
  hookService: {
    kind: 'choice',
    description:
      'store the key of a media server, the token of ntfy or the secret of a webhook, for sync',
    choices: HOOK_SERVICES,
    flag: 'for',
    placeholder: 'service',
    commands: { login: true },
  },
  offline: switchOf('overview', 'send nothing: use what the service answered last'),
  online: switchOf(
    'doctor',
    'also ask the API for one title, renew the login, and send the health reports that wait',
  ),
  repair: switchOf(
    'verify',
    'download damaged chapters again, rebuild damaged books from their chapters, and keep the damaged files as NAME.damaged',
  ),
  edited: switchOf(
    'verify',
    'with --repair: download edited chapters again too, and keep the edited files as NAME.edited',
  ),
  accept: {
    kind: 'switch',
    description:
      'accept the pages of edited files: their records name these from now on, and a mark that another program removed comes back',
    conflictsWith: 'repair',
    commands: { verify: true },
  },
  sinceLast: switchOf(
    'verify',
    'check only files that are new, changed, damaged or were not checked for a month',
  ),
  apply: switchOf(
    'adopt',
    'take the chapters over: add the record and the mark of tankobon to their files',
  ),
  choose: switchOf('adopt', 'with --apply: ask at the terminal for the files that are not certain'),
  pack: switchOf('adopt', 'folders of images too; with --apply a CBZ is written beside each'),
  subscribe: switchOf('adopt', 'with --apply: subscribe to the titles of the chapters, for sync'),
  undo: switchOf('adopt', 'restore the files that were adopted, byte for byte'),
  flush: switchOf('report-status', 'send the waiting reports now'),
  dryRun: {
    kind: 'switch',
    description: 'print what would be downloaded, and why',
    short: 'n',
    commands: {
      download: true,
      sync: true,
      'sync import': 'print what would be added',
      bind: 'print what would be written, and what is missing',
      retag: 'print what would change',
    },
  },
  html: {
    kind: 'path',
    description: 'write a report for a browser; -: to standard output',
    placeholder: 'file',
    commands: {
      sync: true,
      'report-status': 'write the statistics as an HTML page; -: to standard output',
      overview: 'write a page with covers for a browser; -: to standard output',
    },
  },
  clear: switchOf('report-status', 'delete all waiting reports and statistics, after confirmation'),
  yes: {
    kind: 'switch',
    description: 'do not ask for confirmation',
    commands: { 'report-status': true, limits: true },
  },
  json: {
    kind: 'switch',
    description: 'print one JSON object per line to standard output',
    commands: {
      download: true,
      sync: true,
      bind: true,
      retag: true,
      verify: true,
      adopt: true,
      overview: true,
      info: true,
      doctor: true,
      search: 'print one JSON array to standard output; do not ask and do not download',
      'sync list': 'print one JSON array',
      'sync status': JSON_OBJECT,
      'config list': JSON_OBJECT,
      whoami: JSON_OBJECT,
      limits: `${JSON_OBJECT} to standard output`,
      'report-status': `${JSON_OBJECT} to standard output`,
    },
  },
  schema: switchOf('help', 'with events: print their JSON Schema'),
  print: {
    kind: 'text',
    description:
      'print this for each saved chapter instead of its path, such as "{file}\\t{series}": help names',
    placeholder: 'template',
    conflictsWith: 'json',
    commands: {
      download: true,
      sync: true,
      search:
        'print this for each title, such as "{id}\\t{title}", and do not ask; with --first, for each saved chapter',
    },
  },
  reset: switchOf('limits', 'clear the ledger for all processes that share it, after confirmation'),
  quiet: {
    kind: 'switch',
    description: 'print only errors and warnings',
    conflictsWith: 'verbose',
    commands: {
      sync: 'print only errors, warnings, one-time notices and the paths of saved files',
      download: 'print only paths of chapters, errors and warnings',
      bind: 'print only errors, warnings and the paths of saved files',
    },
  },
  verbose: {
    kind: 'switch',
    description: 'also print each retry, base URL and wait',
    short: 'v',
    commands: {
      sync: true,
      download:
        'also print each retry, base URL and wait; with --dry-run, the file and id of each chapter',
    },
  },
} as const satisfies Record<string, OptionDefinition>;
