/**
 * A line of our own: forwards TCP connections and delays every byte by the same time each way, as distance does;
 * may also cap the bandwidth of each connection. In user space, since a kernel that can do it is not everywhere.
 */
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

export interface Line {
  /** Half a round trip, in milliseconds. */
  readonly delayMs: number;
  /** The rate of each connection, each way; absent: as much as the machine gives. */
  readonly bytesPerSecond?: number;
}

export interface Forwarder {
  readonly port: number;
  close(): Promise<void>;
}

/** What may wait in the line before the sender is held up: the bytes that a long fat line has in flight. */
const MAX_BYTES_IN_FLIGHT = 16 * 1024 * 1024;

/** Listens on a port of loopback and forwards to `target`, which may become known later, another port of loopback. */
export async function forward(target: number | Promise<number>, line: Line): Promise<Forwarder> {
  const sockets = new Set<Socket>();
  const join = (near: Socket, port: number): void => {
    const far = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    // A real handshake takes a round trip before the first byte; on loopback it takes none, so it is added here.
    carry(near, far, line, 2 * line.delayMs);
    carry(far, near, line, 0);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
  };
  const server = createServer(
    { noDelay: true, allowHalfOpen: true, pauseOnConnect: true },
    (near) => {
      void Promise.resolve(target).then((port) => {
        join(near, port);
        near.resume();
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}

function carry(
  from: Socket,
  to: Socket,
  { delayMs, bytesPerSecond }: Line,
  handshakeMs: number,
): void {
  const openedMs = performance.now();
  let lineFreeAtMs = 0;
  let inFlight = 0;
  /** When the last of this many bytes arrives at the other end. */
  const arrivalMs = (bytes: number): number => {
    const sentAtMs = Math.max(performance.now(), openedMs + handshakeMs, lineFreeAtMs);
    lineFreeAtMs = sentAtMs + (bytesPerSecond === undefined ? 0 : (bytes / bytesPerSecond) * 1_000);
    return lineFreeAtMs + delayMs;
  };
  const later = inOrder();
  from.on('data', (chunk: Buffer) => {
    inFlight += chunk.length;
    if (inFlight > MAX_BYTES_IN_FLIGHT) from.pause();
    later(arrivalMs(chunk.length), () => {
      inFlight -= chunk.length;
      if (inFlight <= MAX_BYTES_IN_FLIGHT) from.resume();
      if (to.writable) to.write(chunk);
    });
  });
  from.on('end', () => {
    later(arrivalMs(0), () => to.end());
  });
  from.on('error', () => {
    later(arrivalMs(0), () => to.destroy());
  });
}

/** Runs what it is given at its time, and never before what it was given earlier: a line does not reorder bytes. */
function inOrder(): (atMs: number, act: () => void) => void {
  const queue: { readonly atMs: number; readonly act: () => void }[] = [];
  const wake = (): void => {
    for (let next = queue[0]; next; next = queue[0]) {
      const leftMs = next.atMs - performance.now();
      if (leftMs > 0) {
        setTimeout(wake, leftMs);
        return;
      }
      queue.shift();
      next.act();
    }
  };
  return (atMs, act) => {
    queue.push({ atMs, act });
    if (queue.length === 1) setTimeout(wake, Math.max(0, atMs - performance.now()));
  };
}
