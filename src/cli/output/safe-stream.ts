/**
 * All output passes here: control characters, and the user information of URLs, are removed from every text. Secrets
 * are removed where foreign text enters a message (core/redactor.ts). Our own colors and cursor codes are written to
 * the raw stream.
 */
import { printable, printableJson } from '../../core/printable.js';
import { hideUserInfo } from '../../core/web-address.js';
import { colorMessages } from './colors.js';
import { linkAddresses, linkPaths } from './hyperlinks.js';

const RAW = Symbol('raw');
const WRITE_MESSAGE = Symbol('write-message');

/**
 * Returns the stream with a `write` that cleans its text. A line of JSON stays valid JSON.
 * @param colors whether to color messages
 * @param links whether the terminal has links
 */
export function safeStream(
  stream: NodeJS.WriteStream,
  { colors = false, links = false } = {},
): NodeJS.WriteStream {
  const clean = (text: string, paths?: readonly string[]): string =>
    decorated(safeText(text), { colors, links, paths });
  const writeWithLinks = (text: string, paths: readonly string[]): boolean =>
    stream.write(clean(text, paths));
  const write = (chunk: unknown, ...rest: unknown[]): unknown => {
    const safe = typeof chunk === 'string' ? clean(chunk) : chunk;
    return (stream.write as (...all: unknown[]) => boolean).call(stream, safe, ...rest);
  };
  return new Proxy(stream, {
    get(target, key) {
      if (key === 'write') return write;
      if (key === RAW) return target;
      if (key === WRITE_MESSAGE) return writeWithLinks;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** The underlying stream, for our own colors and cursor codes. Text from elsewhere must go through safeText first. */
export function rawStream(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return (stream as { [RAW]?: NodeJS.WriteStream })[RAW] ?? stream;
}

/** @param paths files and folders that the text may name, each of which becomes a link */
export function writeMessage(
  stream: NodeJS.WriteStream,
  text: string,
  paths: readonly string[],
): void {
  const write = (stream as { [WRITE_MESSAGE]?: (text: string, paths: readonly string[]) => void })[
    WRITE_MESSAGE
  ];
  if (write) write(text, paths);
  else stream.write(text);
}

interface Decoration {
  readonly colors: boolean;
  readonly links: boolean;
  /** Files and folders that the text may name. */
  readonly paths?: readonly string[] | undefined;
}

/** Clean text with colors and links. */
export function decorated(text: string, { colors, links, paths = [] }: Decoration): string {
  const linked = links ? linkAddresses(linkPaths(text, paths)) : text;
  return colors ? colorMessages(linked) : linked;
}

export function safeText(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const plain = hideUserInfo(printable(line));
      if (plain === line) return line;
      return safeJson(line) ?? plain;
    })
    .join('\n');
}

/** Returns the value with each of its strings cleaned, for output in our own colors. */
export function safeTexts<T>(value: T): T {
  return mapTexts(value, safeText) as T;
}

/** Undefined if the line is not a JSON object or array. */
function safeJson(line: string): string | undefined {
  if (!/^\s*[[{]/.test(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return printableJson(JSON.stringify(mapTexts(value, hideUserInfo)));
  } catch {
    return undefined;
  }
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [map(key), mapTexts(item, map)]),
  );
}
