/**
 * Stand-ins for what a sync notifies, written from the public API descriptions: Komga (`POST
 * /api/v1/libraries/{id}/scan`, header X-API-Key, answers 202), Kavita (`POST /api/Library/scan-folder`, header
 * x-api-key, refuses `..`), ntfy (`POST /<topic>`, text) and a webhook receiver (`POST /hook`, JSON).
 */
import {
  startStubServer,
  type ReceivedRequest,
  type Reply,
  type StubServer,
} from './stub-server.js';

export const KOMGA_KEY = 'komga-key-0123456789abcdef';
export const KAVITA_KEY = 'kavita-key-0123456789abcdef';
export const NTFY_TOKEN = 'tk_0123456789abcdefghijklmnopqr';
export const KOMGA_LIBRARY = '0ABCDEF123456';

export interface MediaServers {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  /** The bodies that the webhook received. */
  readonly hooks: readonly { series: { name: string }; chapters: { id: string }[] }[];
  /** Answers the next requests with these replies first. */
  failNext(...replies: readonly (Reply | 'reset' | 'silence')[]): void;
  stop(): Promise<void>;
}

export async function startMediaServers(): Promise<MediaServers> {
  const server: StubServer = await startStubServer();
  const failures: (Reply | 'reset' | 'silence')[] = [];
  server.behave((request) => failures.shift() ?? respond(request));
  return {
    url: server.url,
    received: server.requests,
    get hooks() {
      return server.requests
        .filter(({ path }) => path === '/hook')
        .map(({ body }) => JSON.parse(body) as MediaServers['hooks'][number]);
    },
    failNext: (...replies) => void failures.push(...replies),
    stop: () => server.stop(),
  };
}

function respond({ method, path, headers, body }: ReceivedRequest): Reply {
  if (method !== 'POST') return { status: 405 };
  if (path === `/api/v1/libraries/${KOMGA_LIBRARY}/scan`)
    return { status: headers['x-api-key'] === KOMGA_KEY ? 202 : 401 };
  if (path.startsWith('/api/v1/libraries/')) return { status: 404 };
  if (path === '/api/Library/scan-folder') {
    if (headers['x-api-key'] !== KAVITA_KEY) return { status: 401 };
    const { folderPath } = JSON.parse(body) as { folderPath?: string };
    return { status: folderPath === undefined || folderPath.includes('..') ? 400 : 200 };
  }
  if (path === '/topic') {
    const isAllowed = headers.authorization === `Bearer ${NTFY_TOKEN}`;
    return { status: isAllowed ? 200 : 403 };
  }
  return { status: path === '/hook' ? 204 : 404 };
}
