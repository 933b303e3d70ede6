/** A proxy of TCP connections, such as the line between a machine and a server: slow, or cut. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** From now on nothing is forwarded, and connections stay open, as where a cable is pulled. */
  cut(): void;
  /** New connections are forwarded again; those that were cut are closed. */
  mend(): void;
  stop(): Promise<void>;
}

/** @param delayMs in each direction */
export async function startTcpProxy(targetPort: number, delayMs = 0): Promise<TcpProxy> {
  let isCut = false;
  const sockets = new Set<Socket>();
  const forward = (from: Socket, to: Socket): void => {
    from.on('data', (chunk: Buffer) => {
      if (isCut) return;
      if (delayMs === 0) to.write(chunk);
      else setTimeout(() => to.write(chunk), delayMs);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      if (!isCut) to.destroy();
    });
    sockets.add(from);
  };
  const server = createServer({ noDelay: true }, (client) => {
    if (isCut) {
      client.on('error', () => undefined);
      sockets.add(client);
      return;
    }
    const target = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
    forward(client, target);
    forward(target, client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
    },
    mend: () => {
      isCut = false;
      destroyAll();
    },
    async stop() {
      server.close();
      destroyAll();
      await once(server, 'close');
    },
  };
}
