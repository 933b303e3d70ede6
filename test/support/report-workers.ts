/** Starts child processes that use the compiled sender, so that they can be killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { MODULES_URL } from './build-folders.js';

export interface Worker {
  /** Numbers of the reports whose `record` or `recordAndSend` has resolved. */
  readonly recorded: number[];
  readonly ended: Promise<void>;
  readonly process: ChildProcess;
}

const SCRIPT = `
const [dist, folder, url, from, reports] = process.argv.slice(1);
const load = (path) => import(dist + '/' + path);
const { ReportSender } = await load('service/reports/sender.js');
const { reportHost } = await load('service/reports/report-host.js');
const { openConnections } = await load('service/requests/connections.js');
const { systemClock } = await load('core/clock.js');
const ms = 5000;
const connections = await openConnections({ connectTimeoutMs: ms, tlsTimeoutMs: ms, firstByteTimeoutMs: ms,
  idleTimeoutMs: ms, pageTimeoutMs: ms, apiTimeoutMs: ms, reportTimeoutMs: ms }, process.env, { apiUrl: new URL(url) });
const client = { reserve: async () => undefined };
const send = reportHost({ networkUrl: new URL(url), connections, client });
const sender = new ReportSender({ folder, clock: systemClock, send });
for (let number = Number(from); number < Number(from) + Number(reports); number += 1) {
  const report = { url: 'https://node.example.net/' + number + '.png', success: number % 5 > 0, bytes: number,
    duration: 7, cached: false };
  await (report.success ? sender.record(report) : sender.recordAndSend(report));
  process.stdout.write(number + '\\n');
  await systemClock.sleep(1);
}
await sender.finish(10000);
connections.close();
`;

export function startWorker(
  folder: string,
  url: URL,
  numbers: { readonly from: number; readonly reports: number },
): Worker {
  if (!existsSync(new URL(`${MODULES_URL}/service/reports/sender.js`))) {
    throw new Error(`The compiled modules are missing: ${MODULES_URL}. Run: npm run build`);
  }
  const words = [MODULES_URL, folder, url.href, numbers.from, numbers.reports];
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', SCRIPT, ...words.map(String)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const recorded: number[] = [];
  let rest = '';
  child.stdout.on('data', (piece: Buffer) => {
    const lines = (rest + piece.toString()).split('\n');
    rest = lines.pop() ?? '';
    recorded.push(...lines.map(Number));
  });
  const ended = new Promise<void>((done) => {
    child.once('close', () => {
      done();
    });
  });
  return { recorded, ended, process: child };
}
