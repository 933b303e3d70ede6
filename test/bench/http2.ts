/**
 * HTTP/1.1 against HTTP/2 over the same long line, with TLS: the same pages by the program's own HTTP library
 * over each, and over HTTP/2 with a larger window than Node's default of 64 KB.
 */
import { once } from 'node:events';
import { connect, createSecureServer, type ClientHttp2Session } from 'node:http2';
import { Agent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { got, type ExtendOptions } from 'got';
import { selfSigned } from '../../src/practice-server/self-signed.js';
import { PAGES_IN_FLIGHT } from './competitors.js';
import { record, type Measurement } from './records.js';
import { forward } from './slow-line.js';
import { median, medianRatio, rounded } from './statistics.js';

const PAGES = 40;
const PAGE = Buffer.alloc(1_000_000, 'page');
const RUNS = 5;
const LARGE_WINDOW_BYTES = 16 * 1024 * 1024;

export const http2: Measurement = {
  name: 'http2',
  about: 'HTTP/1.1 against HTTP/2 over a long line',
  async run() {
    const certificate = selfSigned();
    const server = createSecureServer({ ...certificate, allowHTTP1: true }, (_, response) => {
      response.end(PAGE);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const line = await forward((server.address() as AddressInfo).port, { delayMs: 40 });
    const url = `https://localhost:${line.port}/`;
    const ways = [
      { way: 'HTTP/1.1, kept-alive connections', load: () => overHttp1(url, certificate.cert) },
      {
        way: 'HTTP/2, window as Node sets it',
        load: () => overGot(url, certificate.cert, { http2: true }),
      },
      { way: 'HTTP/2, window of 16 MB', load: () => overLargeWindow(url, certificate.cert) },
    ].map((way) => ({ ...way, ms: [] as number[] }));
    try {
      for (let run = 0; run < RUNS; run += 1) {
        for (const { load, ms } of ways) {
          const startedMs = performance.now();
          await load();
          ms.push(performance.now() - startedMs);
        }
      }
    } finally {
      await line.close();
      server.close();
    }
    record('http2', {
      what: `${PAGES} pages of 1 MB, ${PAGES_IN_FLIGHT} in flight, TLS, 40 ms each way; transfers alone, ${RUNS} runs each, in turn`,
      rows: ways.map(({ way, ms }) => ({
        way,
        medianMs: Math.round(median(ms)),
        timesHttp1: rounded(medianRatio(ms, ways[0]?.ms ?? [])),
        allMs: ms.map(Math.round),
      })),
    });
  },
};

async function overHttp1(url: string, certificate: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  try {
    await overGot(url, certificate, { http2: false, agent: { https: agent } });
  } finally {
    agent.destroy();
  }
}

async function overGot(url: string, certificate: string, how: ExtendOptions): Promise<void> {
  const client = got.extend(how, {
    retry: { limit: 0 },
    dnsLookupIpVersion: 4,
    https: { certificateAuthority: certificate },
  });
  await inFlight(async () => (await client.get(url).buffer()).length);
}

async function overLargeWindow(url: string, certificate: string): Promise<void> {
  const session = connect(url, {
    ca: certificate,
    settings: { initialWindowSize: LARGE_WINDOW_BYTES },
  });
  await once(session, 'connect');
  session.setLocalWindowSize(LARGE_WINDOW_BYTES);
  try {
    await inFlight(() => bytesOf(session));
  } finally {
    session.destroy();
  }
}

async function bytesOf(session: ClientHttp2Session): Promise<number> {
  let bytes = 0;
  for await (const piece of session.request({ ':path': '/' })) bytes += (piece as Buffer).length;
  return bytes;
}

/** All pages, `concurrency` at a time. */
async function inFlight(load: () => Promise<number>): Promise<void> {
  let left = PAGES;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      if ((await load()) !== PAGE.length) throw new Error('A page came short.');
    }
  };
  await Promise.all(Array.from({ length: PAGES_IN_FLIGHT }, worker));
}
