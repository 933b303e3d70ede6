/** Each phase of a load has a timeout, and a chapter that changes during its download stops. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Settings } from '../../../src/config/options.js';
import type { LoadReason } from '../../../src/events/reasons.js';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import type { PracticeOptions } from '../../../src/practice-server/practice-options.js';
import { jsonResponse } from '../../../src/practice-server/endpoint.js';
import { testConcurrently } from '../../support/concurrent-tests.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { acceleratedClock } from '../../support/fake-clock.js';
import { startFullListener } from '../../support/full-listener.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0081';
const chapter = generateChapter({ id: ID, pages: 1, bytesPerPage: 20_000 });

const useHarness = (
  act: (harness: DownloadHarness) => Promise<void>,
  options: PracticeOptions = {},
) => DownloadHarness.use({ chapters: [chapter], specificationOnly: true, ...options }, act);

/** The metadata has a base URL of this origin, and this hash at the first, second, … request. */
function pagesAt(
  { service }: DownloadHarness,
  origin: string,
  hashAt: (request: number) => string = () => 'h',
): void {
  const [name] = chapter.pages('data').map(({ fileName }) => fileName);
  let requests = 0;
  service.intercept('/at-home/', () => {
    requests += 1;
    const pages = { hash: hashAt(requests), data: [name], dataSaver: [name] };
    return jsonResponse(200, { result: 'ok', baseUrl: `${origin}/t`, chapter: pages });
  });
}

async function expectReason(
  harness: DownloadHarness,
  settings: Partial<Settings>,
  reason: LoadReason,
): Promise<void> {
  const { code, events } = await harness.download({ targets: [ID] }, { settings });
  expect(code).toBe(3);
  const met = events.flatMap((event) => (event.type === 'page-failed' ? [event.reason] : []));
  expect(new Set(met)).toEqual(new Set([reason]));
}

testConcurrently({
  // Windows refuses a connection to a full listener.
  ...(process.platform !== 'win32' && {
    'a node that takes no connection is a connect-timeout': () =>
      useHarness(
        async (harness) => {
          const { port, stop } = await startFullListener();
          try {
            pagesAt(harness, `https://127.0.0.1:${port}`);
            await expectReason(harness, { connectTimeoutMs: 300 }, 'connect-timeout');
          } finally {
            stop();
          }
          // The listener is a child process, while which virtual time stands still.
        },
        { clock: acceleratedClock(20) },
      ),
  }),

  'a node that never completes the TLS handshake is a tls-timeout': () =>
    useHarness(async (harness) => {
      const sockets: Socket[] = [];
      const mute = createServer((socket) => {
        sockets.push(socket);
        socket.on('error', () => undefined);
      });
      mute.listen(0, '127.0.0.1');
      await once(mute, 'listening');
      try {
        pagesAt(harness, `https://127.0.0.1:${(mute.address() as AddressInfo).port}`);
        await expectReason(harness, { tlsTimeoutMs: 300 }, 'tls-timeout');
      } finally {
        for (const socket of sockets) socket.destroy();
        mute.close();
      }
    }),

  'a node that completes the TLS handshake and never responds is a first-byte-timeout': () =>
    useHarness(async (harness) => {
      const plan = { fault: 'hang', chapter: ID, page: 1, attempts: 'always' } as const;
      harness.service.injectPageFaults(plan);
      await expectReason(harness, { firstByteTimeoutMs: 300 }, 'first-byte-timeout');
    }),

  'a chapter whose renewed metadata differs fails and writes no CBZ': () =>
    useHarness(async (harness) => {
      const { service } = harness;
      const [node = ''] = service.nodes;
      service.injectPageFaults({ fault: 'status-500', page: 1, attempts: 'always' });
      pagesAt(harness, node, (request) => (request === 1 ? 'one' : 'another'));
      const { code, events } = await harness.download({ targets: [ID] });
      expect(code).toBe(3);
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'chapter-failed', reason: 'chapter-changed' }),
      );
      expect(harness.archives()).toEqual([]);
    }),
});
