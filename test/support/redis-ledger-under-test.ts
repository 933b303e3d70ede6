/** A ledger on a server, for the rules that hold in every store. */
import { openLedger, resetLedgerAt, viewLedgerAt } from '../../src/service/ledger.js';
import { RedisConnection } from '../../src/service/redis/redis-connection.js';
import type { FakeClock } from './fake-clock.js';
import type { LedgerUnderTest } from './ledger-suite.js';

/** Places in a reply. */
const SECONDS = 1;
const SEEN = 4;

export async function redisLedger(
  clock: FakeClock,
  server: { readonly url: string; stop?(): Promise<unknown> },
): Promise<LedgerUnderTest> {
  const address = { url: new URL(server.url) };
  /** The server's time moves with the clock of the test. */
  const runner = () => {
    const connection = new RedisConnection(address);
    return {
      async evaluate(...[script, keys, args]: Parameters<RedisConnection['evaluate']>) {
        const reply = (await connection.evaluate(script, keys, args)) as unknown[];
        if (reply[0] !== 'stale') return reply;
        const [seconds, microseconds] = [Number(reply[SECONDS]), Number(reply[SECONDS + 1])];
        const movedS = Math.floor(clock.movedMs() / 1_000);
        const restMs = clock.movedMs() - movedS * 1_000;
        const seen = reply[SEEN] as readonly string[];
        return reply
          .with(SECONDS, String(seconds + movedS))
          .with(SECONDS + 1, String(microseconds + restMs * 1_000))
          .with(
            SEEN,
            seen.map((text, at) => (at % 2 === 0 ? text : String(Number(text) + clock.movedMs()))),
          );
      },
      close: () => {
        connection.close();
      },
      shortenWaits: () => {
        connection.shortenWaits();
      },
    };
  };
  const options = () => ({
    location: { server: address },
    clock,
    runner: runner(),
    warn: () => undefined,
  });
  const reset = () => resetLedgerAt(options());
  // At its first use all limits count as used up.
  await reset();
  return {
    open: (addresses) => openLedger({ ...options(), addresses, maxOutageMs: 5_000 }),
    view: () => viewLedgerAt(options()),
    reset,
    remove: async () => {
      await server.stop?.();
    },
  };
}
