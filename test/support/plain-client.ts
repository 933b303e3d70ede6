/** An HTTP client that sends exactly what a test asks for and reports how the response ended. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createLibrary, generateChapter } from '../../src/practice-server/library/library.js';
import type { PracticeService } from '../../src/practice-server/practice-service.js';

export interface SendOptions {
  readonly method?: string;
  /** An empty `User-Agent` leaves the header out. */
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** The request target, byte by byte, instead of the URL's own. */
  readonly path?: string;
  /** A certificate (PEM) to trust. */
  readonly ca?: string;
  /** Accept invalid certificates. */
  readonly insecure?: boolean;
  /** Give up this long after the last byte; 5,000 by default. */
  readonly idleMs?: number;
  /** Stop after this many bytes of the body. */
  readonly maxBytes?: number;
}

export interface RawResponse {
  /** 0 if no response began. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether the response ended properly. */
  readonly complete: boolean;
  /** A system error code, `idle`, `maxBytes` or `upgrade`. */
  readonly error?: string;
}

/** Sends one request over its own connection. */
export function send(url: string, options: SendOptions = {}): Promise<RawResponse> {
  const { method = 'GET', path, ca, body, idleMs = 5_000, maxBytes = Infinity } = options;
  const headers: Record<string, string> = { 'User-Agent': 'practice-test/1', ...options.headers };
  if (headers['User-Agent'] === '') delete headers['User-Agent'];
  return new Promise((resolve) => {
    let head: Pick<RawResponse, 'status' | 'headers'> = { status: 0, headers: {} };
    const chunks: Buffer[] = [];
    const settle = (complete: boolean, error?: string): void => {
      resolve({ ...head, body: Buffer.concat(chunks), complete, error });
      request.destroy();
    };
    const fail = (error: NodeJS.ErrnoException): void => {
      settle(false, error.code ?? error.message);
    };
    const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, {
      agent: false,
      method,
      headers,
      ...(path === undefined ? {} : { path }),
      rejectUnauthorized: options.insecure !== true,
      ca,
    });
    request.setTimeout(idleMs, () => {
      settle(false, 'idle');
    });
    request.on('error', fail);
    request.on('upgrade', (response, socket) => {
      head = { status: response.statusCode ?? 0, headers: response.headers };
      settle(false, 'upgrade');
      socket.destroy();
    });
    request.on('response', (response) => {
      head = { status: response.statusCode ?? 0, headers: response.headers };
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes >= maxBytes) settle(false, 'maxBytes');
      });
      response.on('error', fail);
      response.on('end', () => {
        settle(response.complete);
      });
    });
    request.end(body);
  });
}

/** A small chapter whose page names carry digests. */
export const CHAPTER = generateChapter({ pages: 4, bytesPerPage: 3_000, seed: 7 });

/** A library of this chapter only: faster to create than the example library. */
export const LIBRARY = createLibrary({ chapters: [CHAPTER] });

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

/** The service's at-home response, by default for `CHAPTER`. */
export async function atHome(
  service: PracticeService,
  options: SendOptions = {},
  id = CHAPTER.id,
): Promise<AtHome> {
  const { body } = await send(atHomeUrl(service, id), options);
  return JSON.parse(body.toString()) as AtHome;
}

/** The URL of a page, counted from 1 (spec 4.2). */
export function pageUrl({ baseUrl, chapter }: AtHome, page = 1): string {
  return `${baseUrl}/data/${chapter.hash}/${chapter.data[page - 1] ?? ''}`;
}

export const json = ({ body }: RawResponse): unknown => JSON.parse(body.toString());
