/** Each phase of a load has a timeout, and a chapter that changes during its download stops. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { startFullListener } from '../../support/full-listener.js';
import { posixTest } from '../../support/platform.js';
import { DownloadHarness } from '../../support/download-harness.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0081';
const chapter = generateChapter({ id: ID, pages: 1, bytesPerPage: 20_000 });

let harness: DownloadHarness;
const sockets: Socket[] = [];
beforeEach(async () => {
  harness = await DownloadHarness.start({ chapters: [chapter], specificationOnly: true });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await harness.stop();
});

/** The metadata has this port in its base URL. */
function pagesAt(port: number): void {
  const answer = {
    result: 'ok',
    baseUrl: `https://127.0.0.1:${port}/t`,
    chapter: { hash: 'h', data: ['1.png'], dataSaver: ['1.jpg'] },
  };
  harness.service.intercept('/at-home/', () => ({
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(answer),
  }));
}

async function reasons(settings: {
  connectTimeoutMs?: number;
  tlsTimeoutMs?: number;
  firstByteTimeoutMs?: number;
}): Promise<string[]> {
  const { code, events } = await harness.download({ targets: [ID] }, { settings });
  expect(code).toBe(3);
  return events.flatMap((event) => (event.type === 'page-failed' ? [event.reason] : []));
}

posixTest('a node that takes no connection is a connect-timeout', async () => {
  const { port, stop } = await startFullListener();
  try {
    pagesAt(port);
    expect(new Set(await reasons({ connectTimeoutMs: 300 }))).toEqual(new Set(['connect-timeout']));
  } finally {
    stop();
  }
});

test('a node that never completes the TLS handshake is a tls-timeout', async () => {
  const mute = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
  });
  mute.listen(0, '127.0.0.1');
  await once(mute, 'listening');
  pagesAt((mute.address() as AddressInfo).port);
  expect(new Set(await reasons({ tlsTimeoutMs: 300 }))).toEqual(new Set(['tls-timeout']));
  mute.close();
});

test('a node that completes the TLS handshake and never responds is a first-byte-timeout', async () => {
  harness.service.injectPageFaults({ fault: 'hang', chapter: ID, page: 1, attempts: 'always' });
  const met = await reasons({ firstByteTimeoutMs: 300 });
  expect(new Set(met)).toEqual(new Set(['first-byte-timeout']));
});

test('a chapter whose renewed metadata differs fails and writes no CBZ', async () => {
  harness.service.injectPageFaults({
    fault: 'status-500',
    chapter: ID,
    page: 1,
    attempts: 'always',
  });
  let calls = 0;
  const names = chapter.pages('data').map(({ fileName }) => fileName);
  harness.service.intercept('/at-home/', () => {
    calls += 1;
    const hash = calls === 1 ? 'one' : 'another';
    const body = {
      result: 'ok',
      baseUrl: `${harness.service.nodes[0] ?? ''}/t`,
      chapter: { hash, data: names, dataSaver: names },
    };
    return {
      status: 200,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    };
  });
  const { code, events } = await harness.download({ targets: [ID] });
  expect(code).toBe(3);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'chapter-failed', reason: 'chapter-changed' }),
  );
  expect(harness.archives()).toEqual([]);
});
