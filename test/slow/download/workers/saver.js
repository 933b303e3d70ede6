// Saves chapters into a folder in a process of its own, with the periods of the quotas shortened. Its parent sends
// `go` when all processes are ready, and gets the events.
import { once } from 'node:events';

const job = JSON.parse(process.argv[2]);
const load = (module) => import(`${job.dist}/${module}.js`);

const { compileNameTemplate } = await load('config/names');
const { PageQueue } = await load('download/save/page-queue');
const { planTargets } = await load('download/plan');
const { saveChapters } = await load('download/save/batch');
const { systemClock: clock } = await load('core/clock');
const { readAddresses } = await load('config/service-addresses');
const { createServiceClient } = await load('service/client');
const { openConnections } = await load('service/requests/connections');
const { openLedger } = await load('service/ledger');

const addresses = readAddresses(job.addresses);
const limits = Object.fromEntries(
  ['connect', 'tls', 'firstByte', 'idle', 'page', 'api', 'report'].map((name) => [
    `${name}TimeoutMs`,
    20_000,
  ]),
);
const connections = await openConnections(limits, process.env, addresses);
const warn = (message) => process.send({ type: 'warning', message });
const ledger = await openLedger({
  location: { folder: job.ledger },
  addresses,
  clock,
  warn,
  periodScale: job.periodScale,
});
const isFirstParty = async () => false;
const client = createServiceClient({ addresses, isFirstParty, connections, ledger, clock });

process.send({ ready: true });
await once(process, 'message');
const { signal } = new globalThis.AbortController();
const plan = await planTargets({
  request: {
    targets: job.chapters.map((id) => ({ kind: 'chapter', id })),
    output: job.output,
    quality: 'data',
    force: false,
    update: false,
    metadata: true,
    templatesWithin: () => () => compileNameTemplate('Same Name {chapter:03}.cbz'),
    selection: { languages: [], groups: [] },
    requestedGroups: [],
    requestedExclusions: [],
  },
  listeners: {},
  service: { describeWrongClock: () => undefined },
  context: { clock, paths: { state: job.ledger } },
  client,
  warn,
  signal,
});
const loader = {
  page: connections.page,
  reserve: (line, stop) => client.reserve(line, stop),
  clock,
  maxPageBytes: 2 ** 20,
};
await saveChapters(
  plan.chapters.map(({ job: chapter }) => chapter),
  {
    client,
    loader,
    queue: new PageQueue(4),
    reports: undefined,
    isFirstParty,
    observe: (event) => event.type.startsWith('chapter-') && process.send(event),
    random: Math.random,
  },
  signal,
);
await ledger.close();
connections.close();
process.disconnect();
