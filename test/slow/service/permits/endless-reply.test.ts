/** What a ledger server sends is bounded, whatever it replies and for however long. */
import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tankobon } from '../../../support/command.js';
import { PEAK_MEMORY_OPTION, peakKibIn } from '../../../support/peak-memory.js';

const CHUNK_BYTES = 2 ** 20;
/** Far more than a reply of the ledger, far less than a server can send in the time that a reply may take. */
const MAX_SENT_BYTES = 64 * 2 ** 20;

let home: string;
let server: Server;
let usualPeakKib: number;
const sockets = new Set<Socket>();
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'tankobon-endless-reply-'));
  usualPeakKib = (await readLimits((await startServer('-ERR no\r\n')).url)).peakKib;
  await stopServer();
});
afterEach(() => stopServer());
afterAll(() => {
  rmSync(home, { recursive: true });
});

async function stopServer() {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
}

/** Replies to any command with `head` and then with `rest` without end. Counts what was sent. */
async function startServer(head: string, rest?: string) {
  const chunk = Buffer.alloc(CHUNK_BYTES, rest);
  const result = { url: '', sentBytes: 0 };
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    const send = (): void => {
      while (!socket.destroyed) {
        result.sentBytes += chunk.length;
        if (!socket.write(chunk)) break;
      }
    };
    socket.once('data', () => {
      socket.write(head);
      if (rest === undefined) return;
      socket.on('drain', send);
      send();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  result.url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}/0`;
  return result;
}

async function readLimits(url: string) {
  const { code, stderr } = await tankobon(['limits'], {
    env: {
      TANKOBON_HOME: home,
      TANKOBON_LEDGER: url,
      NODE_OPTIONS: PEAK_MEMORY_OPTION,
    },
  });
  return { code, stderr, peakKib: peakKibIn(stderr) };
}

test.each([
  ['a text of 8 GB', '$8000000000\r\n', 'x'],
  ['a text without an end', '+', 'x'],
  ['a list of a billion replies', '*1000000000\r\n', '$-1\r\n'],
  ['lists within lists', '', '*1\r\n'],
  ['replies to no command', ':1\r\n', ':1\r\n'],
])('%s is refused while it arrives', async (_, head, rest) => {
  const sent = await startServer(head, rest);
  const { code, stderr, peakKib } = await readLimits(sent.url);
  expect([code, stderr]).toEqual([8, expect.stringMatching(/unexpected reply from the server/)]);
  expect(sent.sentBytes).toBeLessThan(MAX_SENT_BYTES);
  expect(peakKib / usualPeakKib).toBeLessThan(1.7);
});
