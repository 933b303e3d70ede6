/** Outages during a sync. */
import { setImmediate } from 'node:timers/promises';
import type { EndpointResponse } from '../../../src/practice-server/endpoint.js';
import { DAY_MS, savedIn, SyncHarness, syncLibrary, titleId } from '../../support/sync-harness.js';

const MINUTE_MS = 60_000;

let harness: SyncHarness;
afterEach(() => harness.stop());

const SUBSCRIPTIONS = `series:
  - target: title:${titleId('Alpha')}
  - target: title:${titleId('Beta')}
`;
const RESET: EndpointResponse = { status: 0, delivery: { how: 'reset' } };

async function start(): Promise<void> {
  const library = (nowMs: number) => syncLibrary(['Alpha', 'Beta'], nowMs - 9 * DAY_MS);
  harness = await SyncHarness.start(library);
  harness.write(SUBSCRIPTIONS);
}

/** Resets all connections to the API from its third request on. Resolves after the first, with what ends it. */
async function outage(): Promise<() => void> {
  const requests = () => harness.service.log.filter(({ host }) => host === 'api').length;
  while (requests() < 3) await setImmediate();
  let resets = 0;
  const end = harness.service.intercept('/', () => {
    resets += 1;
    return RESET;
  });
  while (resets === 0) await setImmediate();
  return end;
}

test('an outage of three minutes is waited for, and everything arrives once', async () => {
  await start();
  const run = harness.sync();
  const end = await outage();
  await harness.clock.sleep(3 * MINUTE_MS);
  end();
  const { code, lines } = await run;
  expect({ code, waits: lines.some((line) => line['for'] === 'outage') }).toEqual({
    code: 0,
    waits: true,
  });
  expect(new Set(savedIn(lines)).size).toBe(4);
  expect(savedIn(lines)).toHaveLength(4);
});

test('an outage that is longer than allowed stops the run, and the next one continues', async () => {
  await start();
  const run = harness.sync({ maxOutage: '1m' });
  const end = await outage();
  const stopped = await run;
  end();
  expect(stopped.code).toBe(3);
  expect(stopped.lines.at(-1)).toMatchObject({ type: 'summary', stopped: 'unreachable' });
  harness.clock.advance(5 * MINUTE_MS);
  const next = await harness.sync();
  expect(next.code).toBe(0);
  expect([...savedIn(stopped.lines), ...savedIn(next.lines)]).toHaveLength(4);
});
