/** The rules of the shared ledger, the same for every store that it is kept in. */
import type { RateLedger, RequestInfo } from '../../src/service/permits/rate-ledger.js';
import type { LedgerView } from '../../src/service/permits/ledger-view.js';
import { readAddresses } from '../../src/config/service-addresses.js';
import { adjustableClock, type FakeClock } from './fake-clock.js';

const HOST = 'https://api.example.org';
const ADDRESSES = readAddresses({ apiUrl: HOST, authUrl: HOST, networkUrl: HOST, realm: 'r' });
const AT_HOME_NAME = 'GET /at-home/server/{id}';
const OK = { status: 200, headers: {} };

/** A ledger that is empty at first, in one store. */
export interface LedgerUnderTest {
  /** Stands for one process. */
  open(addresses: typeof ADDRESSES): Promise<RateLedger>;
  view(): Promise<LedgerView>;
  reset(): Promise<void>;
  remove(): Promise<void>;
}

export function describeLedgerRules(
  store: string,
  create: (clock: FakeClock) => Promise<LedgerUnderTest>,
): void {
  describe(`the rules of a ledger ${store}`, () => {
    let ledgers: LedgerUnderTest;
    let clock: FakeClock;
    const open: RateLedger[] = [];
    beforeEach(async () => {
      clock = adjustableClock();
      ledgers = await create(clock);
    });
    afterEach(async () => {
      for (const ledger of open.splice(0)) await ledger.close();
      await ledgers.remove();
    });
    const openOne = async (): Promise<RateLedger> => {
      const ledger = await ledgers.open(ADDRESSES);
      open.push(ledger);
      return ledger;
    };
    const request = (path: string, method = 'GET'): RequestInfo => ({
      method,
      url: new URL(path, HOST),
    });
    const AT_HOME = request('/at-home/server/x');
    const quota = async (endpoint?: string) =>
      (await ledgers.view()).quotas.find((one) => one.endpoint === endpoint);
    const used = async (endpoint?: string): Promise<number> => (await quota(endpoint))?.used ?? 0;

    describe('the service’s headers', () => {
      const response = (remaining: number, endsInS: number) => ({
        status: 200,
        headers: {
          date: new Date(clock.wallMs() + 7_200_000).toUTCString(),
          'x-ratelimit-limit': '40',
          'x-ratelimit-remaining': String(remaining),
          'x-ratelimit-retry-after': String(Math.floor(clock.wallMs() / 1_000) + 7_200 + endsInS),
        },
      });

      test('cap what may be sent until the end of the period, also for other processes', async () => {
        const ledger = await openOne();
        await (await ledger.reserve(AT_HOME)).settle(response(1, 30));
        expect((await quota(AT_HOME_NAME))?.remaining).toBe(1);
        await (await ledger.reserve(AT_HOME)).settle({ status: 200, headers: {} });
        expect((await quota(AT_HOME_NAME))?.remaining).toBe(0);
        let isGranted = false;
        const waiting = (await openOne()).reserve(AT_HOME).then((permit) => {
          isGranted = true;
          return permit;
        });
        await clock.sleep(300);
        expect(isGranted).toBe(false);
        clock.advance(31_000);
        await (await waiting).settle(OK);
      });

      test('name the limit that a wait is for, if it is lower than the published one', async () => {
        const ledger = await openOne();
        const { headers } = response(0, 30);
        const lower = { ...headers, 'x-ratelimit-limit': '12' };
        await (await ledger.reserve(AT_HOME)).settle({ status: 200, headers: lower });
        const stopped = new AbortController();
        const waits: unknown[] = [];
        const waiting = ledger.reserve(AT_HOME, {
          signal: stopped.signal,
          onWait: ({ limit }) => {
            waits.push(limit);
            stopped.abort();
          },
        });
        await expect(waiting).rejects.toThrow();
        expect(waits).toEqual([{ endpoint: AT_HOME_NAME, requests: 12, periodMs: 60_000 }]);
      });

      test('of concurrent requests are counted down, in whatever order they arrive', async () => {
        const ledger = await openOne();
        const permits = await Promise.all([1, 2, 3].map(() => ledger.reserve(AT_HOME)));
        for (const [at, permit] of permits.entries()) await permit.settle(response(27 + at, 30));
        expect((await quota(AT_HOME_NAME))?.remaining).toBe(27);
      });

      test('of an ended period change nothing', async () => {
        const ledger = await openOne();
        await (await ledger.reserve(AT_HOME)).settle(response(0, -99_999));
        expect(await quota(AT_HOME_NAME)).toMatchObject({ used: 1 });
        expect((await quota(AT_HOME_NAME))?.remaining).toBeUndefined();
      });
    });

    test('a 429 and a ban hold for all processes at once', async () => {
      const [one, other] = [await openOne(), await openOne()];
      await (await one.reserve(AT_HOME)).settle({ status: 429, headers: { 'retry-after': '20' } });
      expect((await ledgers.view()).cooldown?.why).toBe('rate-limited');
      let isGranted = false;
      const waiting = other.reserve(AT_HOME).then((permit) => {
        isGranted = true;
        return permit;
      });
      clock.advance(10_000);
      await clock.sleep(300);
      expect(isGranted).toBe(false);
      clock.advance(11_000);
      await (await waiting).settle({ status: 403, headers: {}, generic: true });
      await expect(one.reserve(AT_HOME)).rejects.toMatchObject({ code: 'banned' });
    });

    test('no process gets a sixth request in a second', async () => {
      const [one, other] = [await openOne(), await openOne()];
      const grants: number[] = [];
      const use = async (ledger: RateLedger): Promise<void> => {
        const permit = await ledger.reserve(request('/manga/x'));
        grants.push(clock.monotonicMs());
        await permit.settle(OK);
      };
      await Promise.all([1, 2, 3, 4].flatMap(() => [use(one), use(other)]));
      expect((grants[5] ?? 0) - (grants[0] ?? 0)).toBeGreaterThan(1_000);
    });

    test('requests that need only the general limit overtake those that wait for their endpoint’s quota', async () => {
      const ledger = await openOne();
      const first = await ledger.reserve(AT_HOME);
      const date = new Date(clock.wallMs()).toUTCString();
      const headers = { date, 'x-ratelimit-limit': '40', 'x-ratelimit-remaining': '0' };
      await first.settle({ status: 200, headers });
      const stopping = new AbortController();
      const waiting = ledger.reserve(AT_HOME, { signal: stopping.signal });
      await (await (await openOne()).reserve(request('/manga/x'))).settle(OK);
      await (await ledger.reserve(request('/manga/y'))).settle(OK);
      stopping.abort(new Error('stop'));
      await expect(waiting).rejects.toThrow('stop');
      while ((await ledgers.view()).waiting > 0) await clock.sleep(20);
    });

    test('a request aborted while it is granted leaves no permit behind', async () => {
      const ledger = await openOne();
      for (let times = 0; times < 5; times += 1) {
        const stopping = new AbortController();
        const reserving = ledger.reserve(request('/manga/x'), { signal: stopping.signal });
        setTimeout(() => {
          stopping.abort(new Error('stop'));
        }, times / 5);
        await reserving.then(
          (permit) => permit.settle('unsent'),
          () => undefined,
        );
      }
      while ((await ledgers.view()).underWay > 0) await clock.sleep(20);
    });

    test('a permit of a process that is gone counts until its request must have ended', async () => {
      const [one, other] = [await openOne(), await openOne()];
      await Promise.all([1, 2, 3, 4, 5].map(() => one.reserve(request('/manga/x'))));
      await one.close();
      clock.advance(28_000);
      let isGranted = false;
      const waiting = other.reserve(request('/manga/x')).then((permit) => {
        isGranted = true;
        return permit;
      });
      await clock.sleep(300);
      expect(isGranted).toBe(false);
      clock.advance(3_100);
      await (await waiting).settle(OK);
    });

    test('a permit is valid for two seconds, and its use is given back if it was not sent', async () => {
      const ledger = await openOne();
      const permit = await ledger.reserve(AT_HOME);
      expect([permit.isValid(), permit.remainingMs() > 28_000]).toEqual([true, true]);
      clock.advance(2_100);
      expect([permit.isValid(), permit.remainingMs() < 27_000]).toEqual([false, true]);
      await permit.settle('unsent');
      expect(await used(AT_HOME_NAME)).toBe(0);
    });

    test('a probe that never answers counts as refused again, and is the only request meanwhile', async () => {
      const [one, other] = [await openOne(), await openOne()];
      await (await one.reserve(AT_HOME)).settle({ status: 429, headers: { 'retry-after': '2' } });
      clock.advance(2_100);
      const probe = await one.reserve(AT_HOME);
      let isGranted = false;
      const waiting = other.reserve(AT_HOME).then((permit) => {
        isGranted = true;
        return permit;
      });
      await clock.sleep(300);
      await probe.settle();
      await clock.sleep(300);
      expect(isGranted).toBe(false);
      expect((await ledgers.view()).cooldown).toMatchObject({ why: 'rate-limited', strikes: 1 });
      clock.advance(5_100);
      await (await waiting).settle(OK);
      expect((await ledgers.view()).onProbation).toBe(false);
    });

    test('a request without a quota needs no transaction, and waits for a pause of any process', async () => {
      const ledger = await openOne();
      const page = { method: 'GET', url: new URL('https://node.example.net/x.png') };
      await (await ledger.reserve(page)).settle(OK);
      expect((await ledgers.view()).underWay).toBe(0);
      clock.advance(1_100);
      await (
        await (await openOne()).reserve(AT_HOME)
      ).settle({
        status: 429,
        headers: { 'retry-after': '5' },
      });
      let isGranted = false;
      const waiting = ledger.reserve(page).then((permit) => {
        isGranted = true;
        return permit;
      });
      await clock.sleep(300);
      expect(isGranted).toBe(false);
      clock.advance(5_100);
      await (await waiting).settle(OK);
    });

    test('a reset removes everything but requests under way', async () => {
      const ledger = await openOne();
      await (await ledger.reserve(AT_HOME)).settle(OK);
      const underWay = await ledger.reserve(AT_HOME);
      await ledgers.reset();
      expect(await used(AT_HOME_NAME)).toBe(1);
      await underWay.settle(OK);
    });
  });
}
