/** A proxy that opens tunnels (CONNECT), as a forwarder in an office does. */
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface ConnectProxy {
  readonly url: string;
  /** The `host:port` of each tunnel that was opened. */
  readonly tunnels: readonly string[];
  stop(): Promise<void>;
}

/** With a `target`, each tunnel ends there. */
export async function startConnectProxy(
  options: { readonly target?: { readonly host: string; readonly port: number } } = {},
): Promise<ConnectProxy> {
  const tunnels: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '' }, client: Socket, head: Buffer) => {
    tunnels.push(url);
    const { hostname, port } = new URL(`http://${url}`);
    const { target: end = { host: hostname, port: Number(port) } } = options;
    const target = connect(end.port, end.host, () => {
      client.write('HTTP/1.1 200 Connection established\r\nVia: 1.1 office\r\n\r\n');
      target.write(head);
      client.pipe(target).pipe(client);
    });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
