import { setInterval } from 'node:timers';

// A process of the pool. Each message `go` of its parent is one request, answered by `done`; `end` closes the ledger.
const job = JSON.parse(process.argv[2]);
const load = (module) => import(`${job.dist}/${module}.js`);

const { readAddresses } = await load('config/service-addresses');
const { createServiceClient } = await load('service/client');
const { openConnections } = await load('service/requests/connections');
const { openLedger } = await load('service/ledger');
const { systemClock } = await import(`${job.dist}/core/clock.js`);

// The error of this process's wall clock; its sign changes repeatedly.
let wallMs = job.wallOffsetMs ?? 0;
const { clockOffsetMs = 0 } = job;
const clock = {
  ...systemClock,
  monotonicMs: () => systemClock.monotonicMs() + clockOffsetMs,
  wallMs: () => systemClock.wallMs() + wallMs,
};
if (job.wallOffsetMs) {
  setInterval(() => {
    wallMs = -wallMs;
  }, 700).unref();
}

const addresses = readAddresses({
  apiUrl: job.url,
  authUrl: job.url,
  networkUrl: job.url,
  realm: 'practice',
});
const limits = Object.fromEntries(
  ['connect', 'tls', 'firstByte', 'idle', 'page', 'api', 'report'].map((name) => [
    `${name}TimeoutMs`,
    20_000,
  ]),
);
const connections = await openConnections(limits, process.env, addresses);
const { folder, server } = job;
const ledger = await openLedger({
  location: server ? { server: { url: new URL(server) } } : { folder },
  maxOutageMs: job.maxOutageMs ?? 60_000,
  addresses,
  clock,
  warn: (text) => process.send({ warning: text }),
  ...(job.boot && { boot: job.boot }),
  ...(job.periodScale && { periodScale: job.periodScale }),
  ...(job.maxRequestMs && { maxRequestMs: job.maxRequestMs }),
});
const client = createServiceClient({
  addresses,
  isFirstParty: async () => false,
  connections,
  ledger,
  clock,
});

process.on('message', (message) => {
  if (message === 'end') {
    void ledger.close().then(() => {
      connections.close();
      process.disconnect();
    });
    return;
  }
  client.api({ method: 'GET', path: job.path, parser: () => (value) => value }).then(
    () => process.send({ done: true }),
    (error) => process.send({ done: false, code: error.code, message: error.message }),
  );
});
process.send({ ready: true });
