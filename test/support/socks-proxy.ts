/** A SOCKS5 proxy (RFC 1928, with the user names and passwords of RFC 1929) that connects to where it is asked to. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

export interface SocksProxy {
  /** Its `host:port`. */
  readonly host: string;
  /** The `host:port` of each connection, as it was asked for: a name is not resolved before. */
  readonly connections: readonly string[];
  stop(): Promise<void>;
}

const VERSION = 5;
const WITHOUT_LOGIN = 0;
const PASSWORD = 2;
const ADDRESS_KINDS = { ipv4: 1, name: 3 } as const;

/** @param login the user name and the password that it wants; all connections end at `target` */
export async function startSocksProxy(
  target: { readonly host: string; readonly port: number },
  login?: readonly [name: string, password: string],
): Promise<SocksProxy> {
  const connections: string[] = [];
  const sockets = new Set<Socket>();
  const serve = async (client: Socket): Promise<void> => {
    const read = async (bytes: number): Promise<Buffer> => {
      for (;;) {
        const chunk = client.read(bytes) as Buffer | null;
        if (chunk) return chunk;
        await once(client, 'readable');
      }
    };
    const readText = async () => (await read((await read(1))[0] ?? 0)).toString();
    await read(1);
    await read((await read(1))[0] ?? 0);
    client.write(Buffer.from([VERSION, login ? PASSWORD : WITHOUT_LOGIN]));
    if (login) {
      await read(1);
      const isKnown = (await readText()) === login[0] && (await readText()) === login[1];
      client.write(Buffer.from([1, isKnown ? 0 : 1]));
      if (!isKnown) return;
    }
    const kind = (await read(4))[3];
    const host = kind === ADDRESS_KINDS.name ? await readText() : (await read(4)).join('.');
    connections.push(`${host}:${(await read(2)).readUInt16BE()}`);
    const end = connect(target.port, target.host, () => {
      client.write(Buffer.from([VERSION, 0, 0, ADDRESS_KINDS.ipv4, 0, 0, 0, 0, 0, 0]));
      client.pipe(end).pipe(client);
    });
    sockets.add(end);
    end.on('error', () => client.destroy());
    client.on('close', () => end.destroy());
  };
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    serve(client).catch(() => client.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    stop: () =>
      new Promise((stopped) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          stopped();
        });
      }),
  };
}
