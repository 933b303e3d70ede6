/**
 * Targets: a chapter, or what has chapters: a title, a list, a group, an author, what the account follows. Given as a
 * UUID or as a URL, and parsed without asking the service.
 */
import { WEB_HOST } from '../config/service-addresses.js';
import { UsageError } from '../core/errors.js';
import { printableLine } from '../core/printable.js';
import { shellQuotedWords } from '../core/shell-quoted.js';
import { isUuid } from '../core/uuid.js';
import { isLoopback, withoutUserInfo } from '../core/web-address.js';

type TargetKind = 'chapter' | 'title' | 'list' | 'group' | 'author' | 'follows';

export interface Target {
  /** `any` is a UUID without a kind: of a chapter, otherwise of a title, otherwise of a list. */
  readonly kind: TargetKind | 'any';
  /** A UUID in lower case; of `follows` the word itself. */
  readonly id: string;
}

/** A target that cannot be parsed. */
export interface InvalidTarget {
  /** What the user wrote, without quotes around it. */
  readonly text: string;
  /** Names the file and the number of the line. */
  readonly error: UsageError;
}

/** Characters of no width, soft hyphens and marks of the reading direction, which are copied with an address unseen. */
const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;
const MARKDOWN_LINK = /^\s*!?\[[^\]]*\]\(\s*<?([^\s>)]+)(?:[\s>][^)]*)?\)[\s.,;]*$/;
/** What surrounds an address in a text that it is copied from. */
const QUOTES_BEFORE = /^[\s<("'“‘«]+/;
/** The lookbehind keeps it linear for a text with many of them. */
const QUOTES_AFTER = /(?<![\s>)"'”’»,;.])[\s>)"'”’»,;.]+$/;

/** The text without what was copied with it: the rest of a Markdown link, quotes, and invisible characters. */
function withoutQuotes(text: string): string {
  const visible = text.replace(INVISIBLE, '');
  const address = MARKDOWN_LINK.exec(visible)?.[1] ?? visible;
  return address.replace(QUOTES_BEFORE, '').replace(QUOTES_AFTER, '');
}

const PREFIXED = /^(chapter|title|manga|list|group|author|artist):\s*(\S+)$/i;
/** The live service and its development domain (spec 8.2). */
const LIVE_HOST = /^(?:[\w-]+\.)*mangadex\.(?:org|dev)\.?$/;
/** A UUID, also with some digits or hyphens too few or too many. */
const NEARLY_UUID = /^[\da-f][\da-f-]{23,47}$/i;
const WITHOUT_SCHEME = /^(?:[\w-]+\.)*mangadex\.(?:org|dev)\//i;
/** The path of an address, as in logs and messages. */
const WITHOUT_HOST = /^\/(?:titles?|manga|chapter|list|group|author|artist|at-home)\//i;

/** A Markdown link, or what spaces, commas and semicolons separate. */
const WORD = /!?\[[^[\]]*\]\([^()]*\)|[^\s,;]+/g;

/** The names in the URLs of the website and of the API. */
const KINDS: Readonly<Record<string, TargetKind>> = {
  chapter: 'chapter',
  title: 'title',
  manga: 'title',
  list: 'list',
  group: 'group',
  author: 'author',
  artist: 'author',
};

/** The titles that the logged-in account follows. */
const FOLLOWS = { kind: 'follows', id: 'follows' } as const satisfies Target;

/** The pages of the website that show them. */
const FOLLOWS_PAGES: readonly string[] = ['titles/follows', 'titles/feed', 'title/follows'];

/** Whether the target stands for chapters of many titles, and is not a list. */
export function isCollection({ kind }: Target): boolean {
  return kind === 'group' || kind === 'author' || kind === 'follows';
}

/**
 * The targets of a text, such as a copied list of addresses, without the quotes around each. A text with other words is
 * one target, or an invalid one.
 */
export function splitTargets(text: string): readonly string[] {
  const words = wordsOf(text).map(withoutQuotes);
  const isTarget = (word: string) => looksLikeTarget(word) || word.toLowerCase() === FOLLOWS.id;
  return words.length > 0 && words.every(isTarget) ? words : [text];
}

function wordsOf(text: string): readonly string[] {
  return text.replace(INVISIBLE, '').match(WORD) ?? [];
}

/**
 * Parses one target. Accepts URLs of the live service's domains, of this machine, and of `extraHosts` (host names).
 * Throws UsageError `bad-target`, with an example, also for several targets.
 */
export function parseTarget(text: string, extraHosts: readonly string[] = []): Target {
  if (wordsOf(text).filter(looksLikeTarget).length > 1) throw severalTargets(text);
  const trimmed = withHyphens(withoutQuotes(text));
  const [, prefix, rest] = PREFIXED.exec(trimmed) ?? [];
  if (prefix !== undefined && rest !== undefined) {
    return prefixed(prefix, parseTarget(rest, extraHosts), trimmed);
  }
  if (trimmed.toLowerCase() === FOLLOWS.id) return FOLLOWS;
  if (isUuid(trimmed)) return { kind: 'any', id: trimmed.toLowerCase() };
  const url = withOrigin(trimmed);
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const target = parsed && fromUrl(parsed, extraHosts);
  if (target === undefined) throw badTarget(trimmed, parsed);
  return target;
}

/** The address that a text without a scheme or a host is the rest of; other texts unchanged. */
function withOrigin(text: string): string {
  if (WITHOUT_HOST.test(text)) return `https://mangadex.org${text}`;
  return WITHOUT_SCHEME.test(text) ? `https://${text}` : text;
}

/** A UUID that was written without its hyphens; other texts unchanged. */
function withHyphens(text: string): string {
  return text.replace(
    /(?<![\w-])([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})(?![\w-])/gi,
    '$1-$2-$3-$4-$5',
  );
}

/** Whether a word of the command line is meant as a target: a UUID or an address, valid or not. */
export function looksLikeTarget(text: string): boolean {
  const trimmed = withoutQuotes(text);
  return [NEARLY_UUID, PREFIXED, WITHOUT_SCHEME, WITHOUT_HOST, /^https?:\/\//i].some((form) =>
    form.test(trimmed),
  );
}

function prefixed(prefix: string, target: Target, text: string): Target {
  const kind = KINDS[prefix.toLowerCase()];
  if (kind === undefined || (target.kind !== 'any' && target.kind !== kind)) throw badTarget(text);
  return { kind, id: target.id };
}

/** Finds `/chapter/<id>` in any part of the path, case-insensitively. */
function fromUrl(url: URL, extraHosts: readonly string[]): Target | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  if (!LIVE_HOST.test(url.hostname) && !isLoopback(url) && !extraHosts.includes(url.hostname)) {
    return undefined;
  }
  const segments = segmentsOf(url);
  // Two addresses without a space between them: only one would be taken.
  if (segments.some((segment) => /https?:$/.test(segment))) return undefined;
  if (FOLLOWS_PAGES.includes(segments.join('/'))) return FOLLOWS;
  // The API loads the pages of a chapter at /at-home/server/<id>.
  if (segments[0] === 'at-home' && segments[1] === 'server') segments.splice(0, 2, 'chapter');
  for (const [index, segment] of segments.entries()) {
    const kind = Object.hasOwn(KINDS, segment) && KINDS[segment];
    const id = segments[index + 1];
    if (kind && id !== undefined && isUuid(id)) return { kind, id };
  }
  return undefined;
}

/** Such as /title/12345/name: until 2021 ids were numbers. */
function hasOldNumber(url: URL): boolean {
  const [kind = '', id = ''] = segmentsOf(url);
  return Object.hasOwn(KINDS, kind) && /^\d{1,9}$/.test(id);
}

function segmentsOf(url: URL): string[] {
  return url.pathname
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '');
}

const MAX_SHOWN_LENGTH = 80;
const EXAMPLE_ID = 'a96676e5-8ae2-425e-b549-7f15dd34a6d8';
const LIST = 'Put the titles into a list on MangaDex, and pass that: tankobon download list:UUID';
const SEARCH = 'Find a title with tankobon search WORDS, and pass its address or UUID.';

/** The other pages of the website: what they are, and what to use instead. */
const OTHER_PAGES: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  user: ['a user', 'Pass a list of the user: tankobon download list:UUID'],
  tag: ['a tag', SEARCH],
  titles: ['a search', SEARCH],
  my: ['your own pages', LIST],
};

function severalTargets(text: string): UsageError {
  return new UsageError('bad-target', `Several targets in one text: "${shownText(text)}"`, {
    hint: 'Write each target as an argument or on a line of its own. In a file, # starts a comment.',
  });
}

function shownText(text: string): string {
  return printableLine(withoutUserInfo(text), MAX_SHOWN_LENGTH);
}

/** An option, a path, an address, a UUID, or a text that was shortened. */
const NOT_A_NAME = /^-|^\S*\/\S*$|\\|:\/\/|:$|[\da-f-]{20}|\.[a-z\d]{2,4}$|…$/i;

/** Whether it may be the name of a title. */
function mayBeName(text: string): boolean {
  return /\p{L}/u.test(text) && !NOT_A_NAME.test(text) && !looksLikeTarget(text);
}

function badTarget(text: string, url?: URL): UsageError {
  const shown = shownText(text);
  const page = url && LIVE_HOST.test(url.hostname) ? segmentsOf(url)[0] : undefined;
  const other = page !== undefined && Object.hasOwn(OTHER_PAGES, page) && OTHER_PAGES[page];
  if (other) {
    const [what, hint] = other;
    return new UsageError(
      'bad-target',
      `The address of ${what}, which cannot be downloaded: ${shown}`,
      { hint },
    );
  }
  if (url && LIVE_HOST.test(url.hostname) && hasOldNumber(url))
    return new UsageError(
      'bad-target',
      `An old address, from before MangaDex used UUIDs: ${shown}`,
      {
        hint: 'Open it in a browser, which shows the new address, or run: tankobon search WORDS',
      },
    );
  const message = `Not a chapter, title or list: "${shown}"`;
  if (mayBeName(shown))
    return new UsageError('bad-target', message, {
      hint: `To search for a title, run: tankobon search ${shellQuotedWords(shown)}`,
    });
  return new UsageError('bad-target', message, {
    hint:
      `Use a UUID (title:UUID for a title; list:, group: and author: too), follows, or an address such as ` +
      `https://${WEB_HOST}/chapter/${EXAMPLE_ID}`,
  });
}
