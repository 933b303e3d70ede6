/**
 * Brings a `ComicInfo.xml` up to date without losing what its owner changed. An element that differs from what tankobon
 * wrote is the owner's; elements that tankobon never writes stay in their place.
 */
import { PAGE_ELEMENTS, READ_FIELDS, type ChapterMetadata, type ReadField } from './fields.js';
import { readComicInfo } from './read.js';
import { contentOf, nameOf, parseComicInfo, type ComicInfoTree, type XmlNode } from './tree.js';

interface MergeOptions {
  /** What tankobon wrote; undefined without a record: then nothing counts as edited. */
  readonly written: ChapterMetadata | undefined;
  /** The pages are those of the old file, so that edits of their descriptions stay. */
  readonly hasSamePages: boolean;
  /** Take everything from the new text. */
  readonly force: boolean;
}

export interface ComicInfoMerge {
  readonly xml: string;
  /** The names of the metadata that changes, such as `volume`, and of unknown elements that are removed. */
  readonly changed: readonly string[];
  /** The metadata that stays because its owner edited it, and that the new text has otherwise. */
  readonly edited: readonly string[];
  /** The elements that stay because tankobon never writes them, such as `Notes`. */
  readonly unknown: readonly string[];
}

const ELEMENTS = Object.fromEntries(
  READ_FIELDS.map(({ name, elements }) => [name, elements]),
) as Readonly<Record<ReadField, readonly string[]>>;
const FIELDS = READ_FIELDS.map(({ name }) => name);
const RARE_FIELDS = READ_FIELDS.filter(({ isRare }) => isRare).map(({ name }) => name);
const KNOWN = new Set([...Object.values(ELEMENTS).flat(), ...PAGE_ELEMENTS]);

/** An old text that cannot be read is replaced as a whole. */
export async function mergeComicInfo(
  oldXml: string,
  newXml: string,
  { written, hasSamePages, force }: MergeOptions,
): Promise<ComicInfoMerge> {
  const before = await readComicInfo(oldXml);
  const after = await readComicInfo(newXml);
  const [old, fresh] = [await parseComicInfo(oldXml), await parseComicInfo(newXml)];
  const others = RARE_FIELDS.filter(
    (field) => written?.[field] === undefined || before[field] !== written[field],
  );
  const unknown = old ? unknownElements(old, new Set(others.flatMap((it) => ELEMENTS[it]))) : [];
  const isNotUnknown = (field: ReadField) => !ELEMENTS[field].some((it) => unknown.includes(it));
  if (!old || !fresh || force)
    return {
      xml: newXml,
      changed: [...differences(before, after).filter(isNotUnknown), ...unknown],
      edited: [],
      unknown: [],
    };
  const owned = written ? FIELDS.filter((field) => isEdited(field, before, written, old)) : [];
  const kept = new Set(owned.flatMap((field) => ELEMENTS[field]));
  for (const name of unknown) kept.add(name);
  if (written && hasSamePages) for (const name of PAGE_ELEMENTS) kept.add(name);
  const xml = await old.withChildren(mergeChildren(old.children, fresh.children, kept));
  return {
    xml,
    changed: differences(before, await readComicInfo(xml)),
    edited: owned.filter((field) => isNotUnknown(field) && isEdited(field, before, after, old)),
    unknown,
  };
}

/** `others`: names of elements that tankobon did not write in this file. */
function unknownElements({ children }: ComicInfoTree, others: ReadonlySet<string>): string[] {
  const isKnown = (name: string) => KNOWN.has(name) && !others.has(name);
  const names = children.map(nameOf).filter((name) => !name.startsWith('#') && !isKnown(name));
  return [...new Set(names)];
}

/** A value that was removed, or that readers do not understand, is edited too. */
function isEdited(
  field: ReadField,
  before: ChapterMetadata,
  reference: ChapterMetadata,
  { children }: ComicInfoTree,
): boolean {
  if (!isSame(before[field], reference[field])) return true;
  const names = ELEMENTS[field];
  const hasContent = children.some(
    (node) => names.includes(nameOf(node)) && contentOf(node).length > 0,
  );
  return reference[field] === undefined && hasContent;
}

function differences(before: ChapterMetadata, after: ChapterMetadata): ReadField[] {
  return FIELDS.filter((field) => !isSame(before[field], after[field])).sort();
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The old elements in their order, those that are neither unknown nor in `kept` as in `fresh`. */
function mergeChildren(
  old: readonly XmlNode[],
  fresh: readonly XmlNode[],
  kept: ReadonlySet<string>,
): XmlNode[] {
  const freshByName = new Map(fresh.map((node) => [nameOf(node), node]));
  const isKept = (node: XmlNode) => !KNOWN.has(nameOf(node)) || kept.has(nameOf(node));
  const seen = new Set<string>();
  const merged = old.flatMap((node): readonly XmlNode[] => {
    if (isKept(node)) return [node];
    const isRepeated = seen.has(nameOf(node));
    seen.add(nameOf(node));
    const newNode = isRepeated ? undefined : freshByName.get(nameOf(node));
    return newNode ? [newNode] : [];
  });
  for (const [index, node] of fresh.entries()) {
    if (kept.has(nameOf(node)) || merged.includes(node)) continue;
    const earlier = new Set(fresh.slice(0, index).map(nameOf));
    merged.splice(merged.findLastIndex((other) => earlier.has(nameOf(other))) + 1, 0, node);
  }
  return merged;
}
