/**
 * Links of a terminal (OSC 8): the text is the same, and a click opens the address or the file. Only for terminals that
 * are known to have them, since others may print the codes; FORCE_HYPERLINK decides otherwise, as for other programs.
 */
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { printable } from '../../core/printable.js';

type Environment = Readonly<NodeJS.ProcessEnv>;

const START = '\u001B]8;;';
const END = '\u001B\\';

/** TERM_PROGRAM of terminals with links, and the first version that has them. */
const PROGRAMS: ReadonlyMap<string, readonly [major: number, minor: number]> = new Map([
  ['ghostty', [0, 0]],
  ['iTerm.app', [3, 1]],
  ['vscode', [1, 72]],
  ['WezTerm', [0, 0]],
  ['zed', [0, 0]],
]);
/** TERM of terminals with links. */
const TERMS: readonly string[] = ['alacritty', 'foot', 'xterm-ghostty', 'xterm-kitty'];
/** VTE (GNOME Terminal and others) has them since 0.50, whose first release crashes at one. */
const MIN_VTE_VERSION = 5001;

export function supportsLinks(env: Environment, stream: { readonly isTTY?: boolean }): boolean {
  if (stream.isTTY !== true) return false;
  const { FORCE_HYPERLINK: forced, TERM: term = '', TERM_PROGRAM: program = '' } = env;
  if (forced) return forced !== '0';
  if (term === 'dumb' || env['CI']) return false;
  if (env['WT_SESSION'] || TERMS.includes(term)) return true;
  const oldest = PROGRAMS.get(program);
  if (oldest) return isAtLeast(env['TERM_PROGRAM_VERSION'] ?? '', oldest);
  return Number(env['VTE_VERSION'] ?? 0) >= MIN_VTE_VERSION;
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return major === 0 || ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

/** @param url an absolute URL, which has only visible ASCII characters */
function linked(text: string, url: URL): string {
  return `${START}${url.href}${END}${text}${START}${END}`;
}

/** The path, without control characters, as a link to the file. */
export function linkedPath(path: string): string {
  const url = pathToFileURL(resolve(path));
  // A terminal on another machine, as by ssh, must not open its own file of this path.
  if (process.platform !== 'win32') url.hostname = hostname();
  return linked(printable(path), url);
}

/** A path stands between spaces, quotes or parentheses, with the punctuation of the sentence after it. */
const BEFORE_PATH = /(?<=^|[\s"'“(])/.source;
const AFTER_PATH = /(?=[.,:;!?)"'”]*(?:\s|$))/.source;

/** Text without control characters, with each of the paths that it names as a link. */
export function linkPaths(text: string, paths: readonly string[]): string {
  const byText = new Map(paths.map((path) => [printable(path), path]));
  const named = [...byText.keys()].filter((shown) => shown !== '' && text.includes(shown));
  if (named.length === 0) return text;
  // The longest first: a folder's path begins those of its files.
  const longestFirst = named.sort((one, other) => other.length - one.length).map(escapeForPattern);
  const pattern = new RegExp(`${BEFORE_PATH}(?:${longestFirst.join('|')})${AFTER_PATH}`, 'gm');
  return text.replace(pattern, (shown) => linkedPath(byText.get(shown) ?? shown));
}

const escapeForPattern = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}/-]/g, '\\$&');

const isJson = (line: string): boolean => /^\s*[[{]/.test(line);

/** An address that ends before a placeholder, such as `https://…/<UUID>`, is none. */
const ADDRESS = /\bhttps?:\/\/[^\s"'`<>{}…]+(?![^\s]*[<{…])/g;
const PUNCTUATION = /[.,:;!?)\]]+$/;
const PLACEHOLDER = /\bUUID$/;

/** Text without control characters, with its addresses as links. A line of JSON stays as it is. */
export function linkAddresses(text: string): string {
  return text
    .split('\n')
    .map((line) => (isJson(line) ? line : line.replace(ADDRESS, linkedAddress)))
    .join('\n');
}

function linkedAddress(found: string): string {
  const [rest = ''] = PUNCTUATION.exec(found) ?? [];
  const address = found.slice(0, found.length - rest.length);
  if (!URL.canParse(address) || PLACEHOLDER.test(address)) return found;
  return linked(address, new URL(address)) + rest;
}
