/** A report host on loopback with programmable responses, which records what it receives. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openConnections } from '../../src/service/requests/connections.js';
import { reportHost } from '../../src/service/reports/report-host.js';
import type { HealthReport, SendReport } from '../../src/service/reports/health-report.js';

export interface ReportListener {
  readonly url: URL;
  /** Every report that was answered with 200, in order of arrival. */
  readonly taken: HealthReport[];
  /** Every request. */
  readonly arrivals: { readonly body: string; readonly contentType: string | undefined }[];
  /** The status of the response, or no response. */
  answer: (report: HealthReport) => number | 'silence' | Promise<number>;
  readonly send: SendReport;
  close(): Promise<void>;
}

export async function startListener(): Promise<ReportListener> {
  const taken: HealthReport[] = [];
  const arrivals: { body: string; contentType: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString('utf8');
      arrivals.push({ body, contentType: request.headers['content-type'] });
      const report = JSON.parse(body) as HealthReport;
      void Promise.resolve(listener.answer(report)).then((status) => {
        if (status === 'silence') return;
        if (status === 200) taken.push(report);
        response.writeHead(status, { 'content-type': 'application/json' }).end('{"result":"ok"}');
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}`);
  // A busy machine may take long to respond, and a report that timed out is sent again.
  const waitMs = 20_000;
  const connections = await openConnections(
    {
      connectTimeoutMs: waitMs,
      tlsTimeoutMs: waitMs,
      firstByteTimeoutMs: waitMs,
      idleTimeoutMs: waitMs,
      pageTimeoutMs: waitMs,
      apiTimeoutMs: waitMs,
      reportTimeoutMs: waitMs,
    },
    process.env,
    { apiUrl: url },
  );
  const client = { reserve: () => Promise.resolve(undefined) };
  const listener: ReportListener = {
    url,
    taken,
    arrivals,
    answer: () => 200,
    send: reportHost({ networkUrl: url, connections, client }),
    async close() {
      connections.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return listener;
}

/** A report that numberOf identifies. */
export function reportNo(number: number, more: Partial<HealthReport> = {}): HealthReport {
  return {
    url: `https://node-${number % 3}.example.net/token/data/hash/${number}.png`,
    success: true,
    bytes: 1_000 + number,
    duration: 40 + number,
    cached: number % 2 === 0,
    ...more,
  };
}

export function numberOf(report: HealthReport): number {
  return Number(/(\d+)\.png$/.exec(report.url)?.[1]);
}
