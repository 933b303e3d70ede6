/** The environment variables, for help and documentation, and those that hold a secret. */
import { LOGIN_VARIABLES, withoutLineBreak } from './login-fields.js';
import { Redactor } from '../core/redactor.js';
import { optionDefinition, SETTING_NAMES, variableOf } from './options.js';

interface VariableDefinition {
  readonly description: string;
  readonly default?: string;
  /** Never shown, and not passed on to other programs. Passwords of proxies are user information in their URLs. */
  readonly isSecret?: true;
}

/** With all four values, a session that the service ended is begun again. */
const FOR_LOGIN = 'for `login`, and to log in again when a session has ended:';

/** Variables of settings are last. */
export const ENVIRONMENT: Readonly<Record<string, VariableDefinition>> = {
  TANKOBON_HOME: {
    description:
      'one folder for settings, rate ledger, waiting reports and file-stored credentials',
    default: 'the folders of the platform',
  },
  TANKOBON_LEDGER: {
    description:
      'folder of the rate ledger, shared by containers behind one address, or for several users or machines the URL of a Redis or Valkey server: redis://HOST:6379/0, or rediss: for TLS',
    default: '`ledger` in the state folder',
  },
  TANKOBON_LEDGER_USERNAME: { description: 'ACL user name for the ledger server' },
  TANKOBON_LEDGER_PASSWORD: {
    description: 'password for the ledger server',
    isSecret: true,
    default: 'the one in the keychain, if the URL has a user name and no password',
  },
  TANKOBON_USERNAME: { description: `${FOR_LOGIN} name of the account` },
  TANKOBON_USERNAME_FILE: { description: 'file that holds it' },
  TANKOBON_PASSWORD: { description: `${FOR_LOGIN} password of the account`, isSecret: true },
  TANKOBON_PASSWORD_FILE: { description: 'file that holds it' },
  TANKOBON_CLIENT_ID: { description: `${FOR_LOGIN} id of the personal client` },
  TANKOBON_CLIENT_ID_FILE: { description: 'file that holds it' },
  TANKOBON_CLIENT_SECRET: {
    description: `${FOR_LOGIN} secret of the personal client`,
    isSecret: true,
  },
  TANKOBON_CLIENT_SECRET_FILE: { description: 'file that holds it' },
  TANKOBON_CODE_CACHE: {
    description: '`false`: no compiled code of the program is kept in the state folder',
    default: '`true`',
  },
  HTTPS_PROXY: {
    description:
      'proxy for https: connections, such as http://proxy:3128 or socks5://127.0.0.1:1080',
  },
  ALL_PROXY: { description: 'the same, where HTTPS_PROXY is not set' },
  NO_PROXY: {
    description: 'hosts that are reached without the proxy, separated by commas; * for all',
  },
  NODE_EXTRA_CA_CERTS: { description: 'PEM file of additional certificate authorities' },
  NO_COLOR: { description: 'if not empty, no colors; overridden by --color' },
  FORCE_COLOR: { description: 'if not empty and not 0, colors without a terminal too' },
  FORCE_HYPERLINK: {
    description: '`1`: links at every terminal, `0`: none; by default where the terminal has them',
  },
  LANG: { description: 'without UTF-8, as in `C`, progress bars are ASCII' },
  DEBUG: { description: '`tankobon` to print the code and the stack trace of an error' },
  ...Object.fromEntries(
    SETTING_NAMES.map((name) => {
      const { description, default: byDefault = '' } = optionDefinition(name);
      return [variableOf(name), { description, default: String(byDefault) || undefined }];
    }),
  ),
};

export const SECRET_VARIABLES: readonly string[] = Object.keys(ENVIRONMENT).filter(
  (name) => ENVIRONMENT[name]?.isSecret,
);

/** The variables that a hook does not get: those of the login too, and of the files that hold it. */
export const VARIABLES_KEPT_FROM_HOOKS: readonly string[] = [
  ...new Set([...SECRET_VARIABLES, ...LOGIN_VARIABLES]),
];

/** A redactor that knows the secrets of the environment. */
export function redactorFor(env: Readonly<NodeJS.ProcessEnv>): Redactor {
  const redactor = new Redactor();
  for (const name of SECRET_VARIABLES) redactor.add(withoutLineBreak(env[name] ?? ''));
  return redactor;
}
