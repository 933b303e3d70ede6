/** Virtual time, on which most tests with waits run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { virtualClock } from '../../support/virtual-clock.js';

const HOUR_MS = 3_600_000;

test('an hour with nothing to do passes at once, and sleeps end in the order of their ends', async () => {
  const clock = virtualClock();
  const startedMs = clock.monotonicMs();
  const ended: number[] = [];
  await Promise.all(
    [3, 1, 2].map(async (hours) => {
      await clock.sleep(hours * HOUR_MS);
      ended.push(clock.monotonicMs() - startedMs);
    }),
  );
  expect(ended).toEqual([1, 2, 3].map((hours) => hours * HOUR_MS));
});

test('no time passes while bytes move over a socket', async () => {
  const server = createServer((_request, response) => {
    let left = 200;
    const write = (): void => {
      left -= 1;
      if (left > 0) response.write('x', () => setImmediate(write));
      else response.end();
    };
    write();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clock = virtualClock();
  const startedMs = clock.monotonicMs();
  const alarm = clock.sleep(HOUR_MS);
  const { port } = server.address() as AddressInfo;
  // Not fetch: it compiles its parser on other threads when it is first used, which looks like an idle process.
  const [response] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [Readable];
  expect(await text(response)).toBe('x'.repeat(199));
  expect(clock.monotonicMs()).toBe(startedMs);
  await alarm;
  server.close();
});

test('no time passes while a child process runs', async () => {
  const clock = virtualClock();
  const startedMs = clock.monotonicMs();
  const alarm = clock.sleep(HOUR_MS);
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 50)']);
  await once(child, 'exit');
  expect(clock.monotonicMs()).toBe(startedMs);
  await alarm;
});

test('a sleep ends early with its signal’s reason', async () => {
  const stop = new AbortController();
  const sleep = virtualClock().sleep(HOUR_MS, stop.signal);
  stop.abort(new Error('enough'));
  await expect(sleep).rejects.toThrow('enough');
});
