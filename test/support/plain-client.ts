/** A client without manners of its own: it sends what it is told to, and says plainly what came of it. */
import { request as plainRequest, type IncomingHttpHeaders } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { madeChapter, shelved } from '../../src/practice-server/library/library.js';
import type { PracticeService } from '../../src/practice-server/practice-service.js';

export interface Told {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** The request target, byte by byte, in place of the URL's own. */
  readonly path?: string;
  /** A certificate (PEM) to trust. */
  readonly ca?: string;
  /** Overlook what is wrong with a certificate. */
  readonly careless?: boolean;
  /** Give up so long after the last byte. */
  readonly idleMs?: number;
  /** Give up after so many bytes of the body. */
  readonly enoughBytes?: number;
}

export interface Outcome {
  /** 0 where no answer began. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether the answer came to its proper end. */
  readonly whole: boolean;
  /** The system's name for what went wrong, `idle` or `enough`. */
  readonly error?: string;
}

const AGENT = 'practice-test/1';

/** One request over a connection of its own. `User-Agent` is there unless it is told to be empty. */
export function send(url: string, told: Told = {}): Promise<Outcome> {
  const { promise, resolve } = deferred<Outcome>();
  const headers: Record<string, string> = { 'User-Agent': AGENT, ...told.headers };
  if (headers['User-Agent'] === '') delete headers['User-Agent'];
  const ask = url.startsWith('https:') ? tlsRequest : plainRequest;
  let head: Pick<Outcome, 'status' | 'headers'> = { status: 0, headers: {} };
  const pieces: Buffer[] = [];
  const settle = (whole: boolean, error?: string): void => {
    const body = Buffer.concat(pieces);
    resolve({ ...head, body, whole, ...(error === undefined ? {} : { error }) });
    request.destroy();
  };
  const request = ask(url, {
    agent: false,
    method: told.method ?? 'GET',
    headers,
    ...(told.path === undefined ? {} : { path: told.path }),
    rejectUnauthorized: told.careless !== true,
    ...(told.ca === undefined ? {} : { ca: told.ca }),
  });
  request.setTimeout(told.idleMs ?? 5_000, () => {
    settle(false, 'idle');
  });
  request.on('error', (error: NodeJS.ErrnoException) => {
    settle(false, error.code ?? error.message);
  });
  request.on('upgrade', (response, socket) => {
    head = { status: response.statusCode ?? 0, headers: response.headers };
    settle(false, 'upgrade');
    socket.destroy();
  });
  request.on('response', (response) => {
    head = { status: response.statusCode ?? 0, headers: response.headers };
    let bytes = 0;
    response.on('data', (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= (told.enoughBytes ?? Infinity)) settle(false, 'enough');
    });
    response.on('error', (error: NodeJS.ErrnoException) => {
      settle(false, error.code ?? error.message);
    });
    response.on('end', () => {
      settle(response.complete);
    });
  });
  request.end(told.body);
  return promise;
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A small chapter, whose page names carry their digests. */
export const CHAPTER = madeChapter({ pages: 4, bytesPerPage: 3_000, seed: 7 });

/** A library of this chapter alone, which is quicker to make than the example library. */
export const SHELF = shelved({ titles: [], lists: [], chapters: [CHAPTER] });

export interface AtHome {
  readonly baseUrl: string;
  readonly chapter: {
    readonly hash: string;
    readonly data: readonly string[];
    readonly dataSaver: readonly string[];
  };
}

export function atHomeUrl(service: PracticeService, id = CHAPTER.id): string {
  return `${service.addresses.apiUrl}/at-home/server/${id}`;
}

/** What the service says of the chapter. */
export async function atHome(service: PracticeService, told: Told = {}): Promise<AtHome> {
  const { body } = await send(atHomeUrl(service), told);
  return JSON.parse(body.toString()) as AtHome;
}

/** The address of a page (from 1) by the specification's rule. */
export function pageUrl({ baseUrl, chapter }: AtHome, page = 1): string {
  return `${baseUrl}/data/${chapter.hash}/${chapter.data[page - 1] ?? ''}`;
}

export const json = ({ body }: Outcome): unknown => JSON.parse(body.toString());
