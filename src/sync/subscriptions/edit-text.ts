/** Edits the subscriptions file as a person would: comments, order and formatting of everything else stay. */
import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, isSeq, parseDocument, YAMLMap, type Document } from 'yaml';
import { hasCode, UsageError } from '../../core/errors.js';
import { groupBy } from '../../core/group-by.js';
import type { Target } from '../../selection/target.js';
import { parseSubscriptions, parseYaml, type SubscriptionsText } from './subscriptions-file.js';
import type { SeriesOptions } from '../../config/options.js';
import { parseSeriesTarget, type Subscriptions } from './subscriptions-schema.js';

/** Options by their keys in the file, as written there. */
export type SeriesEntry = Readonly<Record<string, unknown>>;

export interface SeriesChange {
  /** Keys to set. */
  readonly entry: SeriesEntry;
  /** Keys to remove. */
  readonly unset?: readonly string[];
  /** Releases to add to one of these lists, after the others, and to remove from the other one. */
  readonly releases?: { readonly key: 'pin' | 'block'; readonly ids: readonly string[] };
}

/**
 * The text with a series added at the end, or with the series that is there changed. Throws UsageError
 * `bad-subscriptions` if the text or the result is invalid.
 */
export function addSeries(
  source: SubscriptionsText,
  target: string,
  { entry: given, unset: removed = [], releases }: SeriesChange,
): string {
  const subscriptions = parseSubscriptions(source);
  const index = indexOfTarget(subscriptions, parseSeriesTarget(target, source.extraHosts));
  const lists = releases ? releaseLists(subscriptions.series[index], releases) : {};
  const entry = { ...given, ...lists };
  const unset = [...removed, ...emptyKeys(lists, subscriptions.defaults)];
  return editText(source, (document) => {
    if (index < 0) {
      appendSeries(document, target, entry);
      return;
    }
    if (Object.keys(entry).length > 0) replaceText(document, index);
    for (const [key, value] of Object.entries(entry))
      document.setIn(['series', index, key], createNode(document, value));
    if (isMap(document.getIn(['series', index])))
      for (const key of unset) document.deleteIn(['series', index, key]);
  });
}

/** A series that is only a target becomes a map, which can have options. */
function replaceText(document: Document, index: number): void {
  const target = document.getIn(['series', index], true);
  if (!isScalar(target)) return;
  const node = new YAMLMap();
  node.commentBefore = target.commentBefore;
  target.commentBefore = undefined;
  node.set('target', target);
  document.setIn(['series', index], node);
}

type ReleaseLists = Readonly<Record<'pin' | 'block', readonly string[]>>;

/** The lists of pinned and blocked releases after a change, with the defaults of the file in them. */
function releaseLists(
  { pin = [], block = [] }: SeriesOptions = {},
  { key, ids }: NonNullable<SeriesChange['releases']>,
): ReleaseLists {
  const isOther = (id: string) => !ids.includes(id.toLowerCase());
  const others = { pin: pin.filter(isOther), block: block.filter(isOther) };
  return { ...others, [key]: [...others[key], ...ids] };
}

/** The keys to leave out. An empty list overrides the one of the defaults. */
function emptyKeys(lists: Partial<ReleaseLists>, defaults: SeriesOptions): readonly string[] {
  const keys = ['pin', 'block'] as const;
  return keys.filter((key) => lists[key]?.length === 0 && defaults[key] === undefined);
}

/** The text without the series at this index. Throws as addSeries does. */
export function removeSeries(source: SubscriptionsText, index: number): string {
  return editText(source, (document) => {
    document.deleteIn(['series', index]);
  });
}

/** The text with this id, which a list of series at the end stays after: people add lines there. Throws as addSeries does. */
export function setId(source: SubscriptionsText, id: string): string {
  return editText(source, (document) => {
    document.set('id', id);
    const { contents } = document;
    if (!isMap(contents)) return;
    const [series, own] = contents.items.slice(-2);
    if (!isScalar(series?.key) || series.key.value !== 'series' || !own) return;
    contents.items.splice(-2, 2, own, series);
    if (contents.items.length > 2) return;
    // Comments at the beginning of the file stay there.
    const key = document.createNode('id');
    key.commentBefore = series.key.commentBefore;
    own.key = key;
    series.key.commentBefore = undefined;
  });
}

export function indexOfTarget({ series }: Subscriptions, { kind, id }: Target): number {
  return series.findIndex(({ target }) => target.kind === kind && target.id === id);
}

/** The text after the change, which is valid. Throws as addSeries does. */
export function editText(source: SubscriptionsText, change: (document: Document) => void): string {
  const { document } = parseYaml(source);
  // Only `null` has passed as a file without series.
  if (isScalar(document.contents)) document.contents = null;
  change(document);
  const text = print(document, source);
  try {
    parseSubscriptions({ ...source, text });
  } catch (error) {
    if (!hasCode(error, 'bad-subscriptions')) throw error;
    // The text was valid before the change: the position is in a text that was never written.
    throw new UsageError('bad-option', withoutPositions(error.message, source.file), {
      cause: error,
      hint: 'For the keys and their values, run: tankobon help subscriptions',
    });
  }
  return text;
}

/** Such as `Invalid hooks.ntfy: must be …` in place of `FILE:10:9: hooks.ntfy: must be …`. */
function withoutPositions(message: string, file: string): string {
  return message
    .split('\n')
    .map((line) => {
      const text = line.startsWith(`${file}:`) ? line.slice(file.length) : line;
      const words = text.replace(/^:\d+:\d+:\s*/, '').replace(/^series\[\d+\]\.?/, '');
      return `Invalid ${words}`;
    })
    .join('\n');
}

export function appendSeries(document: Document, target: string, entry: SeriesEntry): void {
  if (!isSeq(document.get('series'))) document.set('series', document.createNode([]));
  const series = document.get('series');
  // Removing the last series leaves `[]`, in which further ones would follow each other on one line.
  if (isSeq(series) && series.items.length === 0) series.flow = false;
  const node = new YAMLMap();
  node.set('target', document.createNode(target));
  for (const [key, value] of Object.entries(entry)) node.set(key, createNode(document, value));
  document.addIn(['series'], node);
}

/** Lists and maps within a series are written on one line. */
export function createNode(document: Document, value: unknown) {
  return document.createNode(value, { flow: true });
}

/** The library keeps comments and order, but neither the spaces within lines nor their ends: those of the original are kept here. */
function print(document: Document, source: SubscriptionsText): string {
  const printed = toText(document, source);
  const originals = groupBy(source.text.split('\n'), withoutSpaces);
  const lineEnd = source.text.includes('\r\n') ? '\r' : '';
  const kept = printed
    .split('\n')
    .map((line) => originals.get(withoutSpaces(line))?.shift() ?? (line && line + lineEnd))
    .join('\n');
  return isSameValue(kept, printed) ? kept : printed;
}

function toText(document: Document, { file }: SubscriptionsText): string {
  try {
    return document.toString({ lineWidth: 0 });
  } catch (cause) {
    // The change removed the anchor of an alias.
    const message = `The subscriptions file refers to the changed part by an alias: ${file}`;
    const hint = 'To edit it by hand, run: tankobon sync edit';
    throw new UsageError('bad-subscriptions', message, { cause, hint });
  }
}

const withoutSpaces = (line: string) => line.replace(/\s+/g, '');

function isSameValue(one: string, other: string): boolean {
  const [first, second] = [parseDocument(one), parseDocument(other)];
  if (first.errors.length > 0 || second.errors.length > 0) return false;
  return isDeepStrictEqual(first.toJS(), second.toJS());
}
