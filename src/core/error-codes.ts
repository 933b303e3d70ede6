/**
 * Every way in which tankobon can fail, as data: the closed set of codes that errors, events and the
 * documentation share. A code knows its exit code and what to type or do next.
 */
import { EXIT, type ExitCode } from './exit-codes.js';

export interface ErrorCodeDefinition {
  readonly exitCode: ExitCode;
  /** What happened, in general; the documentation's line. */
  readonly meaning: string;
  /** What to type or do next. An error may carry a more exact one of its own. */
  readonly hint: string;
}

const code = (exitCode: ExitCode, meaning: string, hint: string): ErrorCodeDefinition => ({
  exitCode,
  meaning,
  hint,
});

/** Asked wrongly: nothing was sent. */
export const USAGE_CODES = {
  'bad-target': code(
    EXIT.usage,
    'A target is neither an id nor a web address of the service.',
    'Give a UUID such as a96676e5-8ae2-425e-b549-7f15dd34a6d8 or https://mangadex.org/chapter/<UUID>.',
  ),
  'bad-option': code(
    EXIT.usage,
    'The command line holds something that tankobon does not know, or a value out of its range.',
    'Type: tankobon help',
  ),
  'bad-setting': code(
    EXIT.usage,
    'A setting or an environment variable has a value that cannot be used.',
    'Type: tankobon config list',
  ),
  'bad-input-file': code(
    EXIT.usage,
    'A file of targets cannot be read, or holds no target at all.',
    'Put one id or address a line; # begins a comment.',
  ),
  'bad-output': code(
    EXIT.usage,
    'The output folder cannot be used.',
    'Name a folder that you may write to, with: --output DIR',
  ),
} as const;

/** The service, or the way to it, failed or refused. */
export const SERVICE_CODES = {
  unreachable: code(
    EXIT.incomplete,
    'A host of the service could not be reached, or the connection broke.',
    'Check the network, then run the same command again: what is loaded is kept.',
  ),
  'service-failed': code(
    EXIT.incomplete,
    'The service answered with an error of its own (5xx), also when asked again.',
    'Run the same command again later: what is loaded is kept.',
  ),
  'bad-answer': code(
    EXIT.incomplete,
    'The service answered with something that has not the shape that the specification gives.',
    'Run it again; if it stays, a newer tankobon may know the new shape: npm view tankobon version',
  ),
  'request-refused': code(
    EXIT.incomplete,
    'The service refused a request (4xx) for a reason that it names.',
    'Read the reason; running the same command again will not help by itself.',
  ),
  'insecure-address': code(
    EXIT.usage,
    'An address is plain http: to a host that is not this machine.',
    'Use an https: address; plain http: is accepted for loopback alone.',
  ),
  'captcha-required': code(
    EXIT.captcha,
    'The service wants a captcha to be solved.',
    'Solve it in a browser, then run the same command with: --captcha-result TOKEN',
  ),
  'rate-limited': code(
    EXIT.incomplete,
    'The service went on answering 429 although each wait that it named was kept.',
    'Something else on this address may use up its limits. Type: tankobon limits',
  ),
  banned: code(
    EXIT.cooldown,
    'The service has banned this address for a while; nothing more is sent until the cooldown is over.',
    'Wait until the time named; type: tankobon limits',
  ),
  'wait-too-long': code(
    EXIT.cooldown,
    'The service names a wait of over 15 minutes.',
    'Run the same command again after the time named; type: tankobon limits',
  ),
} as const;

/** Something about a login. */
export const AUTH_CODES = {
  'not-logged-in': code(
    EXIT.login,
    'This needs a login, and there is none.',
    'Type: tankobon login',
  ),
  'login-incomplete': code(
    EXIT.usage,
    'A login was asked for without all that it takes, and there is no terminal to ask at.',
    'Set TANKOBON_USERNAME, TANKOBON_PASSWORD, TANKOBON_CLIENT_ID and TANKOBON_CLIENT_SECRET, or use: tankobon login --stdin',
  ),
  'bad-login-input': code(
    EXIT.usage,
    'What was given for a login cannot be one; nothing was sent.',
    'Give a JSON object with username, password, clientId and clientSecret; type: tankobon help login',
  ),
  'bad-client-id': code(
    EXIT.usage,
    'A client id does not begin with personal-client-; nothing was sent.',
    'Copy the id from the API client section of your settings page, then type: tankobon login',
  ),
  'client-pending': code(
    EXIT.login,
    'The personal client is not approved yet, and cannot be used until it is.',
    'Staff must approve it: see the API client section of your settings page; then type: tankobon login',
  ),
  'wrong-client': code(
    EXIT.login,
    'The service does not accept the client id with the client secret.',
    'Copy both anew from the API client section of your settings page (Get Secret), then type: tankobon login',
  ),
  'wrong-password': code(
    EXIT.login,
    'The service does not accept the username with the password.',
    'Check both, and that the personal client is this account’s own; then type: tankobon login',
  ),
  'account-unusable': code(
    EXIT.login,
    'The service knows the account, and does not let it log in now.',
    'Log in with a browser to see what it wants, then type: tankobon login',
  ),
  'realm-disabled': code(
    EXIT.login,
    'The authentication service knows no such realm, or has disabled it.',
    'Check the settings authUrl and realm: tankobon config list; if they are right, try again later.',
  ),
  'session-ended': code(
    EXIT.login,
    'The service has ended the session. The client id and the client secret are kept.',
    'Type: tankobon login',
  ),
  'login-other-api': code(
    EXIT.login,
    'The stored login was made for another API than the one that is set now; its tokens are not sent there.',
    'Check the setting apiUrl: tankobon config list; to log in for this API, type: tankobon login',
  ),
  'credentials-damaged': code(
    EXIT.login,
    'A login is stored, but not as it was written.',
    'Store a new one with: tankobon login; or remove what is left with: tankobon logout',
  ),
  'credentials-exposed': code(
    EXIT.keychain,
    'The file with the login can be read by other users of this machine.',
    'Others may know the login: get a new client secret, then type: tankobon login --insecure-storage',
  ),
  'keychain-locked': code(
    EXIT.keychain,
    'The keychain is there, but locked.',
    'Unlock it (log in to the desktop, or open its password manager), then run the same command again.',
  ),
  'no-keychain': code(
    EXIT.keychain,
    'No keychain can be reached on this machine.',
    'Start one (on Linux a Secret Service such as gnome-keyring), or store the login in a file with: tankobon login --insecure-storage',
  ),
} as const;

/** One chapter cannot be had. */
export const CHAPTER_CODES = {
  'chapter-not-found': code(
    EXIT.incomplete,
    'The service knows no such chapter, or no longer has it.',
    'Check the id in a browser.',
  ),
  'chapter-external': code(
    EXIT.incomplete,
    'The chapter is hosted elsewhere; the service has no pages of it.',
    'Read it at the address named.',
  ),
  'chapter-unavailable': code(
    EXIT.incomplete,
    'The chapter is not available now: taken down, or not yet published.',
    'Try again later.',
  ),
  'chapter-refused': code(
    EXIT.login,
    'The service refuses this chapter to you.',
    'Log in, then run the same command again: tankobon login',
  ),
  'chapter-empty': code(
    EXIT.incomplete,
    'The service names no page for the chapter.',
    'Try the other quality, or try again later.',
  ),
  'chapter-changed': code(
    EXIT.incomplete,
    'The chapter changed on the service while it was loaded.',
    'Run the same command again: it starts the chapter anew.',
  ),
  'page-lost': code(
    EXIT.incomplete,
    'A page could not be loaded, however often it was tried.',
    'Run the same command again: the pages that are there are kept.',
  ),
} as const;

/** One load of one page failed; it is reported, and tried again from a fresh base URL. */
export const LOAD_CODES = {
  'connect-failed': code(
    EXIT.incomplete,
    'No connection to the node.',
    'It is tried again from a fresh base URL.',
  ),
  'bad-certificate': code(
    EXIT.incomplete,
    "The node's certificate does not hold.",
    'It is tried again.',
  ),
  'connection-broken': code(
    EXIT.incomplete,
    'The node broke the connection off.',
    'It is tried again.',
  ),
  'connect-timeout': code(
    EXIT.incomplete,
    'The node took too long to connect.',
    'Setting: connectTimeoutMs',
  ),
  'tls-timeout': code(
    EXIT.incomplete,
    'The node took too long to agree on TLS.',
    'Setting: tlsTimeoutMs',
  ),
  'first-byte-timeout': code(
    EXIT.incomplete,
    'The node took too long to answer.',
    'Setting: firstByteTimeoutMs',
  ),
  'idle-timeout': code(
    EXIT.incomplete,
    'The node stopped in the middle of a page.',
    'Setting: idleTimeoutMs',
  ),
  'page-timeout': code(EXIT.incomplete, 'A page took too long in all.', 'Setting: pageTimeoutMs'),
  'base-url-expired': code(
    EXIT.incomplete,
    'The node answered 403 or 410: the base URL has expired.',
    'It is tried again.',
  ),
  'bad-status': code(
    EXIT.incomplete,
    'The node answered with another status than 200.',
    'It is tried again.',
  ),
  redirected: code(
    EXIT.incomplete,
    'The node pointed elsewhere; a page is taken from its base URL alone.',
    'It is tried again.',
  ),
  'bad-length': code(
    EXIT.incomplete,
    'Not as many bytes came as were announced, or none, or the image is incomplete.',
    'It is tried again.',
  ),
  'too-large': code(EXIT.incomplete, 'A page is larger than the cap.', 'Setting: maxPageBytes'),
  'not-a-picture': code(
    EXIT.incomplete,
    'What came is no JPEG, PNG, GIF, WebP or AVIF.',
    'It is tried again.',
  ),
  'bad-digest': code(
    EXIT.incomplete,
    'The bytes are not those that the name promises.',
    'It is tried again.',
  ),
  'bad-page-url': code(
    EXIT.incomplete,
    'The base URL makes no address that may be loaded from.',
    'It is tried again.',
  ),
} as const;

/** The disk, or something else on this machine. */
export const STORAGE_CODES = {
  'disk-full': code(
    EXIT.incomplete,
    'The disk is full.',
    'Make room, then run the same command again.',
  ),
  'not-writable': code(
    EXIT.incomplete,
    'A file or folder cannot be written.',
    'Check its permissions, or name another folder with: --output DIR',
  ),
  'name-taken': code(
    EXIT.incomplete,
    'Something that is no file stands where the CBZ should go.',
    'Move it away, or name another folder with: --output DIR',
  ),
  'unsafe-path': code(
    EXIT.incomplete,
    'A file or folder that tankobon would use is a link, not a regular file, or belongs to another user.',
    'Look at what is there, and move it away; or choose another folder: --output DIR for chapters, TANKOBON_HOME for settings and login, TANKOBON_LEDGER for the rate ledger.',
  ),
  'cannot-lock': code(
    EXIT.incomplete,
    'The file system of a folder cannot lock files, so that several processes cannot share it.',
    'Choose a folder on a local disk: TANKOBON_LEDGER for the rate ledger, TANKOBON_HOME for settings and login, --output DIR for chapters.',
  ),
  'unsafe-ledger': code(
    EXIT.usage,
    'The folder of the rate ledger is open to users that it is not shared with, or shared in a way that locks some of them out; nothing was sent.',
    'Type the commands that the message names, or set TANKOBON_LEDGER to another folder.',
  ),
  'ledger-locked': code(
    EXIT.incomplete,
    'Another process has held the lock of the rate ledger for half a minute; it should take a millisecond.',
    'End or resume the process named, then run the same command again.',
  ),
  'storage-failed': code(
    EXIT.incomplete,
    'The file system reported an error that has no code of its own.',
    'Check the disk or the network share, or choose another folder with: --output DIR',
  ),
  'name-too-long': code(
    EXIT.incomplete,
    'The file system takes no name that long.',
    'Shorten it with: --name TEMPLATE',
  ),
  'outside-output': code(
    EXIT.usage,
    'A name would leave the output folder.',
    'Use a template without .. and without a leading slash.',
  ),
  'archive-wrong': code(
    EXIT.fault,
    'The archive does not hold what it should; it was not put under its final name.',
    'Run the same command again; if it stays, please report it.',
  ),
} as const;

/** The run as a whole. */
export const RUN_CODES = {
  interrupted: code(
    EXIT.interrupted,
    'The run was interrupted; what was loaded is kept.',
    'Run the same command again to go on.',
  ),
  fault: code(
    EXIT.fault,
    'A fault of the program itself.',
    'Run it again with DEBUG=tankobon in the environment, and report what it prints.',
  ),
} as const;

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
