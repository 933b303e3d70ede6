/** `ComicInfo.xml` as a list of elements that keeps all of their text, so that unknown ones are written as they were. */
import type { X2jOptions } from 'fast-xml-parser';

const ATTRIBUTES = ':@';

/** An element, or `#text`, `#comment` or `#cdata`: its content by its name, and its attributes. */
export type XmlNode = Readonly<Record<string, unknown>>;

export interface ComicInfoTree {
  /** The children of the root element, without the white space between them. */
  readonly children: readonly XmlNode[];
  /** The text with these in place of its children. */
  withChildren(children: readonly XmlNode[]): Promise<string>;
}

const FORM = {
  preserveOrder: true,
  ignoreAttributes: false,
  processEntities: false,
  commentPropName: '#comment',
  cdataPropName: '#cdata',
} as const satisfies X2jOptions;
const INDENT = '\n  ';

/** Undefined for a text that is not ComicInfo. */
export async function parseComicInfo(xml: string): Promise<ComicInfoTree | undefined> {
  const { XMLParser } = await import('fast-xml-parser');
  const parser = new XMLParser({ ...FORM, parseTagValue: false, trimValues: false });
  let nodes: readonly XmlNode[];
  try {
    nodes = parser.parse(xml) as readonly XmlNode[];
  } catch {
    return undefined;
  }
  const root = nodes.find((node) => nameOf(node) === 'ComicInfo');
  if (!root) return undefined;
  return {
    children: contentOf(root).filter((node) => !isWhiteSpace(node)),
    withChildren: (children) => buildXml(root, children),
  };
}

export function nameOf(node: XmlNode): string {
  return Object.keys(node).find((key) => key !== ATTRIBUTES) ?? '';
}

export function contentOf(node: XmlNode): readonly XmlNode[] {
  const content = node[nameOf(node)];
  return Array.isArray(content) ? (content as readonly XmlNode[]) : [];
}

function isWhiteSpace(node: XmlNode): boolean {
  const text = node['#text'];
  return typeof text === 'string' && text.trim() === '';
}

async function buildXml(root: XmlNode, children: readonly XmlNode[]): Promise<string> {
  const { default: Builder } = await import('fast-xml-builder');
  const builder = new Builder({
    ...FORM,
    suppressEmptyNode: true,
    suppressBooleanAttributes: false,
  });
  const content = children.flatMap((node) => [{ '#text': INDENT }, node]);
  return builder.build([
    { '?xml': [{ '#text': '' }], [ATTRIBUTES]: { '@_version': '1.0', '@_encoding': 'utf-8' } },
    { '#text': '\n' },
    { ...root, ComicInfo: [...content, { '#text': '\n' }] },
    { '#text': '\n' },
  ]);
}
