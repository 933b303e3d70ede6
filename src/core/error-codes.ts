/**
 * The closed set of codes that errors, events and the documentation share, with the exit code and the hint of each.
 */
import { EXIT, type ExitCode } from './exit-codes.js';

export interface ErrorCodeDefinition {
  readonly exitCode: ExitCode;
  /** What happened, in general; for the documentation. */
  readonly meaning: string;
  /** What to do. An error may carry a more exact hint. */
  readonly hint: string;
}

/** Codes of one kind: what each means, what to do, and its exit code if it is not that of the kind. */
function codes<Code extends string>(
  ofKind: ExitCode,
  table: Readonly<Record<Code, readonly [meaning: string, hint: string, exitCode?: ExitCode]>>,
): Readonly<Record<Code, ErrorCodeDefinition>> {
  const rows = Object.entries<(typeof table)[Code]>(table);
  const definitions = rows.map(([code, [meaning, hint, exitCode = ofKind]]) => [
    code,
    { exitCode, meaning, hint },
  ]);
  return Object.fromEntries(definitions) as Readonly<Record<Code, ErrorCodeDefinition>>;
}

/** Not each command has the option. */
const OTHER_FOLDER =
  'For another folder, download, search and bind have --output DIR, and subscriptions the key output (tankobon sync edit).';
export const RUN_AGAIN = 'Run the same command again; finished pages are kept.';

/** Invalid command line, setting or input; nothing was sent. */
export const USAGE_CODES = codes(EXIT.usage, {
  'bad-target': [
    'A target is neither a UUID nor a MangaDex URL.',
    'Pass a UUID such as a96676e5-8ae2-425e-b549-7f15dd34a6d8 or a URL such as https://mangadex.org/chapter/<UUID>.',
  ],
  'bad-option': [
    'The command line has an unknown option or argument, or an invalid value.',
    'Run: tankobon help',
  ],
  'bad-setting': [
    'A setting or an environment variable has an invalid value.',
    'Run: tankobon config list',
  ],
  'bad-input-file': [
    'The file of targets cannot be read, or contains no targets.',
    'Write one UUID or URL per line; # starts a comment.',
  ],
  'nothing-to-bind': [
    'The files and folders to bind contain no chapters.',
    'Pass CBZ files or folders that contain them.',
  ],
  'bad-cover': [
    'The cover is not an image, or cannot be read.',
    'Choose a JPEG, PNG, GIF or WebP file, or: --cover none',
  ],
  'no-converter': [
    'Images can be decoded only with the package sharp, which is not installed or does not run here.',
    'Install it beside tankobon: npm install --global sharp. Without an installation, run: npx -p tankobon -p sharp tankobon bind …',
  ],
  'bad-subscriptions': [
    'The subscriptions file cannot be read, or has an invalid value; nothing was sent.',
    'Correct the file at the lines and columns given. For its keys, run: tankobon help subscriptions',
  ],
  'bad-output': ['The output folder cannot be used.', 'Choose a writable folder: --output DIR'],
});

/** The service, or the connection to it. */
export const SERVICE_CODES = codes(EXIT.incomplete, {
  unreachable: [
    'A host of the service could not be reached, or the connection broke.',
    `Check the network. ${RUN_AGAIN}`,
  ],
  'service-failed': [
    'The service responded with a server error (5xx), also after retries.',
    `Wait for a while. ${RUN_AGAIN}`,
  ],
  'bad-response': [
    'Unexpected response from the service.',
    'Run the same command again. If the error persists, check for a newer version: npm view tankobon version',
  ],
  'request-refused': [
    'The service refused the request (4xx) and gave a reason.',
    'See the reason; running the same command again will not help.',
  ],
  'insecure-address': [
    'A URL uses plain http: to another machine.',
    'Use https:; plain http: is allowed for loopback hosts only.',
    EXIT.usage,
  ],
  'captcha-required': [
    'The service requires a captcha.',
    'Solve it in a browser, then run the same command with: --captcha-result TOKEN',
    EXIT.captcha,
  ],
  'rate-limited': [
    'The service kept responding with 429 although every requested wait was observed.',
    'Other programs on this address may use up its limits. Run: tankobon limits',
  ],
  banned: [
    'The service has banned this address; nothing is sent until the cooldown ends.',
    'Wait until the time given. Run: tankobon limits',
    EXIT.cooldown,
  ],
  'wait-too-long': [
    'A rate limit requires a wait of over 15 minutes.',
    'Run the same command again after the time given. Run: tankobon limits',
    EXIT.cooldown,
  ],
});

/** The login. */
export const AUTH_CODES = codes(EXIT.login, {
  'not-logged-in': ['The command requires a login.', 'Run: tankobon login'],
  'login-incomplete': [
    'Login data is missing, and there is no terminal to ask for it.',
    'Set TANKOBON_USERNAME, TANKOBON_PASSWORD, TANKOBON_CLIENT_ID and TANKOBON_CLIENT_SECRET, or run: tankobon login --stdin',
    EXIT.usage,
  ],
  'bad-login-input': [
    'The login data is invalid; nothing was sent.',
    'Pass a JSON object with username, password, clientId and clientSecret. Run: tankobon help login',
    EXIT.usage,
  ],
  'bad-client-id': [
    'The client id does not start with personal-client-; nothing was sent.',
    'Copy the client id from the API client section of your MangaDex settings, then run: tankobon login',
    EXIT.usage,
  ],
  'client-pending': [
    'The personal client is not approved yet.',
    'Wait for its approval, shown in the API client section of your MangaDex settings, then run: tankobon login',
  ],
  'wrong-client': [
    'The service does not accept the client id and client secret.',
    'Copy both again from the API client section of your MangaDex settings (Get Secret), then run: tankobon login',
  ],
  'wrong-password': [
    'The service does not accept the username and password.',
    'Check both, and that the personal client belongs to this account, then run: tankobon login',
  ],
  'account-unusable': [
    'The account exists but cannot log in now.',
    'Log in with a browser to see why, then run: tankobon login',
  ],
  'realm-disabled': [
    'The realm of the authentication service does not exist or is disabled.',
    'Check the settings authUrl and realm: tankobon config list. If they are correct, try again later.',
  ],
  'session-ended': [
    'The service has ended the session. The client id and client secret are kept.',
    'Run: tankobon login',
  ],
  'login-other-api': [
    'The stored login belongs to another API than the configured one; its tokens are not sent.',
    'Check the setting apiUrl: tankobon config list. To log in to this API, run: tankobon login',
  ],
  'credentials-damaged': [
    'The stored login is damaged.',
    'To replace it, run: tankobon login. To remove it, run: tankobon logout',
  ],
  'keychain-locked': [
    'The keychain is locked.',
    'Unlock it (log in to the desktop, or open its password manager), then run the same command again.',
    EXIT.keychain,
  ],
  'keychain-timeout': [
    'The keychain does not answer.',
    'Unlock it, or restart it (on Linux for example gnome-keyring), then run the same command again. To store the login in a file instead, run: tankobon login --insecure-storage',
    EXIT.keychain,
  ],
  'keychain-failed': [
    'The keychain reported an error.',
    'Run the same command again. To store the login in a file instead, run: tankobon login --insecure-storage',
    EXIT.keychain,
  ],
  'no-keychain': [
    'No keychain is available.',
    'Start one (on Linux a Secret Service such as gnome-keyring), or store the login in a file: tankobon login --insecure-storage',
    EXIT.keychain,
  ],
});

/** One chapter. */
export const CHAPTER_CODES = codes(EXIT.incomplete, {
  'chapter-not-found': [
    'The chapter does not exist, or was removed.',
    'Check its UUID in a browser.',
  ],
  'title-not-found': [
    'MangaDex has no such title, list, group or author.',
    'Check its UUID in a browser, or run: tankobon search WORDS',
  ],
  'chapter-external': [
    'The chapter is hosted on another site and has no pages on MangaDex.',
    'Read it at the URL given.',
  ],
  'chapter-unavailable': [
    'The chapter is not available: taken down, or not published yet.',
    'Try again later.',
  ],
  'chapter-refused': [
    'The service refuses access to the chapter.',
    'Log in, then run the same command again: tankobon login',
    EXIT.login,
  ],
  'chapter-empty': ['The chapter has no pages.', 'Try the other quality, or try again later.'],
  'chapter-changed': [
    'The chapter changed on the service while it was downloaded.',
    'Run the same command again; it starts the chapter from the beginning.',
  ],
  'page-lost': [
    'A page could not be loaded, also after retries.',
    `${RUN_AGAIN} If it fails again, take such pages compressed: --lost-pages data-saver (for sync: tankobon config set lostPages data-saver), or the whole chapter: --quality data-saver (for sync: the key quality)`,
  ],
});

/** A page whose address is not requested. Other failed loads are not thrown: service/load-reason.ts. */
export const LOAD_CODES = codes(EXIT.incomplete, {
  'bad-page-url': [
    'The base URL is invalid, or its host is not allowed.',
    'The page is loaded again from another base URL.',
  ],
});

/** Files and folders. */
export const STORAGE_CODES = codes(EXIT.incomplete, {
  'disk-full': ['The disk is full.', 'Free some space, then run the same command again.'],
  'not-writable': ['A file or folder cannot be written.', `Check its permissions. ${OTHER_FOLDER}`],
  'name-taken': [
    'The path of the CBZ exists and is not a regular file.',
    `Move it away. ${OTHER_FOLDER}`,
  ],
  'unsafe-path': [
    'A file or folder is a link, is not a regular file, or belongs to another user.',
    'Check it and move it away, or choose another folder: --output DIR for chapters, TANKOBON_HOME for settings and login, TANKOBON_LEDGER for the rate ledger.',
  ],
  'cannot-lock': [
    'The file system of a folder cannot lock files, so processes cannot share it.',
    'Choose a folder on a local disk: TANKOBON_LEDGER for the rate ledger, TANKOBON_HOME for settings and login, --output DIR for chapters.',
  ],
  'unsafe-ledger': [
    'The folder of the rate ledger belongs to another user, or is writable by others; nothing was sent.',
    'Use a folder of your own. To share the limits among users or machines, set TANKOBON_LEDGER to the URL of a Redis or Valkey server.',
    EXIT.usage,
  ],
  'ledger-locked': [
    'Another process has held the lock of the rate ledger for half a minute, or another machine has used it for 15 minutes.',
    'End or resume the process named, then run the same command again.',
  ],
  'ledger-unreachable': [
    'The server of the shared ledger did not respond, or could not store anything, for as long as an outage is waited for; nothing was sent without it.',
    'Start the server, or check the network to it, then run the same command again. To wait longer: --max-outage 1h where the command has it, or tankobon config set maxOutage 1h',
    EXIT.ledger,
  ],
  'ledger-unusable': [
    'The server of the shared ledger refused the login or a command, its certificate is not valid, or it replied with something else than the ledger; nothing was sent without it.',
    'Check TANKOBON_LEDGER, TANKOBON_LEDGER_USERNAME and TANKOBON_LEDGER_PASSWORD, that all machines run the same version of tankobon, and that the server is Redis 7, Valkey 8 or later.',
    EXIT.ledger,
  ],
  'output-away': [
    'An output folder in which chapters were saved is missing or empty, as if its disk were not mounted; nothing is written to it.',
    'Mount it, then run the same command again. If you moved the folder, name its new place. If you emptied it on purpose, add: --new-folder DIR',
  ],
  'storage-failed': [
    'The file system reported another error.',
    `Check the disk or network share. ${OTHER_FOLDER}`,
  ],
  'name-too-long': [
    'The file name is too long for the file system.',
    'Use a shorter one: --name TEMPLATE',
  ],
  'outside-output': [
    'The file name leads out of the output folder.',
    'Use a template without .. and without a leading slash.',
    EXIT.usage,
  ],
  'page-changed': [
    "A page's file is not the image that was verified: another program changed it, or the disk is faulty.",
    'Run the same command again: the page is loaded anew.',
  ],
  'file-changed': [
    'Another program changed a file while it was rewritten. It is kept as it is.',
    'Run the same command again.',
  ],
  'archive-damaged': [
    'A CBZ to bind cannot be read, or contains a page that is not an image.',
    'To load a chapter again that tankobon saved, run: tankobon verify --repair FILE',
  ],
  'book-incomplete': [
    'A bound PDF or folder, or a damaged book, has chapters whose files are gone, and a new one would lack them.',
    'Download these chapters again with: --force --keep-chapters; or move the book away.',
  ],
  'page-unsupported': [
    'The format cannot contain a page of this type.',
    'Choose another format, or convert such pages with: --convert',
  ],
  'archive-wrong': [
    'The archive failed verification and was not saved.',
    'Run the same command again. If the error persists, please report it.',
    EXIT.fault,
  ],
});

/** The run as a whole. */
export const RUN_CODES = codes(EXIT.incomplete, {
  interrupted: [
    'The run was interrupted; finished pages are kept.',
    'Run the same command again to continue.',
    EXIT.interrupted,
  ],
  'sync-running': [
    'Another process synchronizes the same subscriptions file.',
    'Wait until it is done, or end it. Run: tankobon sync status',
  ],
  fault: [
    'A bug in the program.',
    'Run the same command with DEBUG=tankobon in the environment, and report its output.',
    EXIT.fault,
  ],
});

export const ERROR_CODES = {
  ...USAGE_CODES,
  ...SERVICE_CODES,
  ...AUTH_CODES,
  ...CHAPTER_CODES,
  ...LOAD_CODES,
  ...STORAGE_CODES,
  ...RUN_CODES,
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
