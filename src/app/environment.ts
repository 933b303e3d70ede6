/**
 * The environment variables as data: the one list that help and the documentation are made from. Those that
 * override a setting come from the settings' own list.
 */
import { SETTING_KEYS, settingDefinition } from './setting-definitions.js';

export interface VariableDefinition {
  readonly meaning: string;
  readonly default?: string;
}

const OF_THIS_MACHINE = {
  TANKOBON_HOME: {
    meaning: 'One folder for settings, rate ledger, waiting reports and file-stored credentials.',
    default: 'the platform’s own folders',
  },
  TANKOBON_LEDGER: {
    meaning: 'Folder of the rate ledger, for several users or containers of one address to share.',
    default: '`ledger` in the state folder',
  },
  TANKOBON_USERNAME: { meaning: 'For `login`: name of the account.' },
  TANKOBON_PASSWORD: { meaning: 'For `login`: password of the account.' },
  TANKOBON_CLIENT_ID: { meaning: 'For `login`: id of the personal client.' },
  TANKOBON_CLIENT_SECRET: { meaning: 'For `login`: secret of the personal client.' },
  HTTPS_PROXY: {
    meaning: 'Proxy that every https: connection is tunnelled through, such as http://proxy:3128.',
  },
  NO_PROXY: {
    meaning: 'Hosts that are reached without that proxy, separated by commas; * is all.',
  },
  NODE_EXTRA_CA_CERTS: { meaning: 'File of further certificate authorities to trust, as PEM.' },
  NO_COLOR: { meaning: 'Anything: no colours.' },
  DEBUG: { meaning: '`tankobon`: show the code and the stack trace of an error.' },
} as const satisfies Record<string, VariableDefinition>;

const OF_SETTINGS: Readonly<Record<string, VariableDefinition>> = Object.fromEntries(
  SETTING_KEYS.flatMap((key) => {
    const { env, meaning, default: usual } = settingDefinition(key);
    return env === undefined ? [] : [[env, { meaning, default: String(usual) }]];
  }),
);

export type VariableName = keyof typeof OF_THIS_MACHINE;

/** All of them, those of the settings first. */
export const ENVIRONMENT: Readonly<Record<string, VariableDefinition>> = {
  ...OF_SETTINGS,
  ...OF_THIS_MACHINE,
};

export function variableDefinition(name: VariableName): VariableDefinition {
  return OF_THIS_MACHINE[name];
}
