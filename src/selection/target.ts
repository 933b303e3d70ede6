/**
 * What a user may name: a chapter, a title or a list, as a UUID or as a web address in any of its forms. This
 * only reads the text; whether the service has such a thing is asked later.
 */
import { UsageError } from '../core/errors.js';
import { printableLine } from '../core/printable.js';
import { isLoopback, withoutUserInfo } from '../core/web-address.js';

export type TargetKind = 'chapter' | 'title' | 'list';

export interface Target {
  /** `any` is a bare UUID: a chapter's first of all, then a title's, then a list's. */
  readonly kind: TargetKind | 'any';
  /** In small letters. */
  readonly id: string;
}

/** Where the service's web pages are; answers and CBZ files name chapters by their address here. */
const WEB_HOST = 'mangadex.org';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PREFIXED = /^(chapter|title|manga|list):\s*(\S+)$/i;
/** The live service and its development counterpart (spec 8.2). */
const LIVE_HOST = /^(?:[\w-]+\.)*mangadex\.(?:org|dev)\.?$/;
const WITHOUT_SCHEME = /^(?:[\w-]+\.)*mangadex\.(?:org|dev)\//i;

/** The words of the web pages and of the API for the same three things. */
const KINDS: Readonly<Record<string, TargetKind>> = {
  chapter: 'chapter',
  title: 'title',
  manga: 'title',
  list: 'list',
};

/**
 * Reads one target. Web addresses count on the live service's domains, on this machine, and on `ownHosts`
 * (host names, for a service that is set by its address). Throws UsageError `bad-target`, whose sentence shows
 * a right one.
 */
export function parseTarget(text: string, ownHosts: readonly string[] = []): Target {
  const trimmed = text.trim().replace(/^<(.*)>$/, '$1');
  const [, prefix, rest] = PREFIXED.exec(trimmed) ?? [];
  if (prefix !== undefined && rest !== undefined)
    return prefixed(prefix, parseTarget(rest, ownHosts), trimmed);
  if (UUID.test(trimmed)) return { kind: 'any', id: trimmed.toLowerCase() };
  const address = WITHOUT_SCHEME.test(trimmed) ? `https://${trimmed}` : trimmed;
  const target = URL.canParse(address) ? fromAddress(new URL(address), ownHosts) : undefined;
  if (target === undefined) throw badTarget(trimmed);
  return target;
}

/** The address of a chapter's page on the web. */
export function chapterWebUrl(chapterId: string): string {
  return `https://${WEB_HOST}/chapter/${chapterId}`;
}

function prefixed(prefix: string, target: Target, whole: string): Target {
  const kind = KINDS[prefix.toLowerCase()];
  if (kind === undefined || (target.kind !== 'any' && target.kind !== kind)) throw badTarget(whole);
  return { kind, id: target.id };
}

/** `/chapter/<id>`, with a page or a slug behind it, below whatever path; in any case of letters. */
function fromAddress(url: URL, ownHosts: readonly string[]): Target | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  if (!LIVE_HOST.test(url.hostname) && !isLoopback(url) && !ownHosts.includes(url.hostname)) {
    return undefined;
  }
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  for (const [index, segment] of segments.entries()) {
    const kind = Object.hasOwn(KINDS, segment.toLowerCase()) && KINDS[segment.toLowerCase()];
    const id = segments[index + 1];
    if (kind && id !== undefined && UUID.test(id)) return { kind, id: id.toLowerCase() };
  }
  return undefined;
}

const MOST_SHOWN = 80;

function badTarget(text: string): UsageError {
  const shown = printableLine(withoutUserInfo(text), MOST_SHOWN);
  return new UsageError(
    'bad-target',
    `"${shown}" is no chapter, title or list. A right one: ` +
      `a96676e5-8ae2-425e-b549-7f15dd34a6d8 or https://${WEB_HOST}/chapter/a96676e5-8ae2-425e-b549-7f15dd34a6d8`,
    {
      hint: `Give a UUID (title:UUID for a title, list:UUID for a list) or an address such as https://${WEB_HOST}/title/UUID.`,
    },
  );
}
