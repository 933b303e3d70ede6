/**
 * Reads what a Redis or Valkey server replies, in version 2 of its protocol
 * (https://redis.io/docs/latest/develop/reference/protocol-spec/). What a server sends is bounded: more is refused
 * before it is kept. Pure.
 */
import { unexpectedReply, type RedisFailure } from './redis-failure.js';

export type Reply = string | number | null | ErrorReply | readonly Reply[];

/** What a server replies to a command that it did not run. */
export class ErrorReply extends Error {}

/** Four times the largest document of the ledger, whose list of processes is bounded too. */
const MAX_REPLY_BYTES = 4 * 2 ** 20;
const MAX_LINE_BYTES = 64 * 1024;
const MAX_DEPTH = 4;
/** The shortest reply is `+` without text, and its line end. */
const MIN_REPLY_BYTES = 3;
const LINE_END = '\r\n';
const INTEGER = /^-?\d{1,15}$/;

/** A list whose replies are still arriving. */
interface OpenList {
  readonly replies: Reply[];
  readonly count: number;
}

/** A line, and the text that it announces. `count`: the replies of a list, which follow. */
type Element = { readonly end: number } & ({ readonly reply: Reply } | { readonly count: number });

export class ReplyReader {
  #chunks: Buffer[] = [];
  #length = 0;
  /** A long text is not looked at again for each chunk of it. */
  #neededLength = 0;
  readonly #openLists: OpenList[] = [];
  /** What was read of the open lists; `#chunks` comes on top. */
  #readBytes = 0;

  /** The replies that are complete with `chunk`. Throws RedisFailure for what is too large or not a reply. */
  read(chunk: Buffer): Reply[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const replies: Reply[] = [];
    if (this.#length < this.#neededLength) return replies;
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    let start = 0;
    this.#neededLength = 0;
    for (;;) {
      const element = this.#readElement(bytes, start);
      if (!element) break;
      this.#assertFits(element.end - start);
      this.#readBytes += element.end - start;
      start = element.end;
      const reply = this.#add(element);
      if (reply === undefined) continue;
      replies.push(reply);
      this.#readBytes = 0;
    }
    this.#chunks = start < bytes.length ? [bytes.subarray(start)] : [];
    this.#length = bytes.length - start;
    return replies;
  }

  /** The reply that is complete with `element`. */
  #add(element: Element): Reply | undefined {
    if ('count' in element) {
      if (this.#openLists.length === MAX_DEPTH) throw tooLarge();
      this.#openLists.push({ replies: [], count: element.count });
    } else if (this.#openLists.length === 0) return element.reply;
    else this.#openLists.at(-1)?.replies.push(element.reply);
    for (;;) {
      const list = this.#openLists.at(-1);
      if (!list || list.replies.length < list.count) return undefined;
      this.#openLists.pop();
      const outer = this.#openLists.at(-1);
      if (!outer) return list.replies;
      outer.replies.push(list.replies);
    }
  }

  /** Undefined if it is not complete. */
  #readElement(bytes: Buffer, start: number): Element | undefined {
    const lineEnd = bytes.indexOf(LINE_END, start);
    if ((lineEnd < 0 ? bytes.length : lineEnd) - start > MAX_LINE_BYTES) throw tooLarge();
    if (lineEnd < 0) return undefined;
    const line = bytes.toString('utf8', start + 1, lineEnd);
    const end = lineEnd + LINE_END.length;
    switch (String.fromCharCode(bytes[start] ?? 0)) {
      case '+':
        return { reply: line, end };
      case '-':
        return { reply: new ErrorReply(line), end };
      case ':':
        return { reply: integerOf(line), end };
      case '$':
        return this.#readText(bytes, start, end, integerOf(line));
      case '*':
        return this.#readListHead(end - start, end, integerOf(line));
      default:
        throw unexpectedReply('not the protocol of Redis');
    }
  }

  #readText(bytes: Buffer, start: number, from: number, length: number): Element | undefined {
    if (length < 0) return { reply: null, end: from };
    const end = from + length + LINE_END.length;
    this.#assertFits(end - start);
    if (bytes.length >= end) return { reply: bytes.toString('utf8', from, from + length), end };
    this.#neededLength = end - start;
    return undefined;
  }

  #readListHead(headBytes: number, end: number, count: number): Element {
    if (count < 0) return { reply: null, end };
    this.#assertFits(headBytes + count * MIN_REPLY_BYTES);
    return { count, end };
  }

  /** An announced length is refused before its bytes arrive. */
  #assertFits(bytes: number): void {
    if (this.#readBytes + bytes > MAX_REPLY_BYTES) throw tooLarge();
  }
}

function integerOf(line: string): number {
  if (!INTEGER.test(line)) throw unexpectedReply('not a number');
  return Number(line);
}

function tooLarge(): RedisFailure {
  return unexpectedReply('it is too large');
}
