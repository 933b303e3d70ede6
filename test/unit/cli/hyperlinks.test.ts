/** Links and progress codes: for which terminals, and that nothing else changes. */
import { hostname } from 'node:os';
import fc from 'fast-check';
import stringWidth from 'string-width';
import {
  linkAddresses,
  linkedPath,
  linkPaths,
  supportsLinks,
} from '../../../src/cli/output/hyperlinks.js';
import { printable } from '../../../src/core/printable.js';
import { supportsProgress, TerminalProgress } from '../../../src/cli/output/terminal-progress.js';
import { webUrl } from '../../support/any-text.js';
import { posixTest } from '../../support/platform.js';

const ESC = '\u001B';
const LINK_CODE = new RegExp(`${ESC}\\]8;;[^${ESC}]*${ESC}\\\\`, 'g');
const link = (text: string, url = text) => `\u001B]8;;${url}\u001B\\${text}\u001B]8;;\u001B\\`;

test.each([
  [{ TERM_PROGRAM: 'WezTerm', TERM_PROGRAM_VERSION: '20240203' }, true],
  [{ TERM_PROGRAM: 'ghostty' }, true],
  [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.1.0' }, true],
  [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.0.9' }, false],
  [{ TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '1.90.2' }, true],
  [{ TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '1.7.0' }, false],
  [{ TERM_PROGRAM: 'vscode' }, false],
  [{ TERM_PROGRAM: 'Apple_Terminal', TERM_PROGRAM_VERSION: '455' }, false],
  [{ TERM_PROGRAM: 'constructor' }, false],
  [{ VTE_VERSION: '7600' }, true],
  [{ VTE_VERSION: '5000' }, false],
  [{ VTE_VERSION: 'x' }, false],
  [{ TERM: 'xterm-kitty' }, true],
  [{ TERM: 'xterm-256color' }, false],
  [{ TERM: 'dumb', WT_SESSION: '1' }, false],
  [{ WT_SESSION: '1' }, true],
  [{ WT_SESSION: '1', CI: 'true' }, false],
  [{ WT_SESSION: '1', NO_COLOR: '1' }, true],
  [{ FORCE_HYPERLINK: '1' }, true],
  [{ FORCE_HYPERLINK: '0', WT_SESSION: '1' }, false],
])('links with %j at a terminal: %j', (env, expected) => {
  expect(supportsLinks(env, { isTTY: true })).toBe(expected);
  expect(supportsLinks(env, {})).toBe(false);
});

test.each([
  ['see https://a.example/b?c=d.', `see ${link('https://a.example/b?c=d')}.`],
  [
    '(http://127.0.0.1:80/x)',
    `(${link('http://127.0.0.1/x').replace('\\http://127.0.0.1/x', '\\http://127.0.0.1:80/x')})`,
  ],
  ['https://a.example/ü', link('https://a.example/ü', 'https://a.example/%C3%BC')],
  // A placeholder is to be filled in first.
  ['https://mangadex.org/chapter/<UUID>.', 'https://mangadex.org/chapter/<UUID>.'],
  ['https://mangadex.org/title/UUID', 'https://mangadex.org/title/UUID'],
  ['https://discord.com/{secret}', 'https://discord.com/{secret}'],
  ['{"url":"https://a.example/"}', '{"url":"https://a.example/"}'],
  ['https://', 'https://'],
])('the addresses of %j', (text, expected) => {
  expect(linkAddresses(text)).toBe(expected);
});

posixTest.each([
  ['Saved 3 pages to /a/b c.cbz.', 'Saved 3 pages to «/a/b c.cbz».'],
  [
    'skipped: b/My Cat, 1.cbz: already downloaded',
    'skipped: «b/My Cat, 1.cbz»: already downloaded',
  ],
  ["copied './x' (from “/a/b c.cbz”), then", "copied '«./x»' (from “«/a/b c.cbz»”), then"],
  // The longest: /a/b is a folder too.
  ['/a/b c.cbz is in /a/b', '«/a/b c.cbz» is in «/a/b»'],
  ['x.cbz: in /a/b/c and (a).cbz', '«x.cbz»: in /a/b/c and «(a).cbz»'],
  // A folder that exists, but is not what the message is about.
  ['error: /tmp: not found; 1 / 2 and/or x', 'error: /tmp: not found; 1 / 2 and/or x'],
])('only the files that the message is about are links: %j', (text, expected) => {
  const files = ['/a/b', '/a/b c.cbz', 'b/My Cat, 1.cbz', './x', 'x.cbz', '(a).cbz', ''];
  const marked = linkPaths(text, files)
    .replaceAll(`${ESC}]8;;${ESC}\\`, '»')
    .replace(LINK_CODE, '«');
  expect(marked).toBe(expected);
});

test('a link has the text and the width of what it links', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), webUrl, (text, url) => {
      const line = `${printable(text)} ${url}`;
      const linked = linkAddresses(linkPaths(line, [printable(text)]));
      expect(linked.replace(LINK_CODE, '')).toBe(line);
      expect(stringWidth(linked)).toBe(stringWidth(line));
    }),
    { numRuns: 30 },
  );
});

posixTest('a path is linked on this machine, without its control characters', () => {
  const path = '/comics/Farol – 海/a b#1\u001B]0;x\u0007.cbz';
  expect(linkedPath(path)).toBe(
    `\u001B]8;;file://${hostname().toLowerCase()}/comics/Farol%20%E2%80%93%20%E6%B5%B7/a%20b%231%1B%5D0;x%07.cbz\u001B\\/comics/Farol – 海/a b#1]0;x.cbz\u001B]8;;\u001B\\`,
  );
});

test.each([
  [{ WT_SESSION: '1' }, true],
  [{ ConEmuANSI: 'ON' }, true],
  [{ ConEmuANSI: 'OFF' }, false],
  [{ TERM_PROGRAM: 'ghostty' }, true],
  [{ TERM_PROGRAM: 'WezTerm' }, true],
  [{ TERM_PROGRAM: 'tmux' }, false],
  [{ TERM_FEATURES: 'T3CwLrMSc7UUw9Ts3BFGsSyHNoSxFP' }, true],
  [{ TERM_FEATURES: 'T3CwPbLr' }, false],
  [{ PTYXIS_VERSION: '48.0' }, true],
  [{ PTYXIS_VERSION: '47.9' }, false],
  [{ TERM: 'dumb', WT_SESSION: '1' }, false],
  [{}, false],
])('progress with %j at a terminal: %j', (env, expected) => {
  expect(supportsProgress(env, { isTTY: true })).toBe(expected);
  expect(supportsProgress(env, {})).toBe(false);
});

test('the progress is written when it changes, and removed once', () => {
  const progress = new TerminalProgress(true);
  const code = (state: string) => `\u001B]9;4;${state}\u001B\\`;
  expect(progress.clear()).toBe('');
  expect(progress.update(undefined)).toBe(code('3'));
  expect(progress.update(undefined)).toBe('');
  expect([0.421, 0.424, 1.5].map((share) => progress.update(share))).toEqual([
    code('1;42'),
    '',
    code('1;100'),
  ]);
  expect([progress.clear(), progress.clear()]).toEqual([code('0'), '']);
  expect(new TerminalProgress(false).update(0.5)).toBe('');
});
