/** A server that speaks as much of Redis's protocol as the ledger needs, on a real socket, and fails as configured. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Certificate } from '../../src/practice-server/self-signed.js';
import { ScriptServer } from './script-server.js';

/** An error reply is an Error; the text `silence` is no reply at all. */
export type RespReply = Error | string | number | null | readonly RespReply[];

export interface RespServer {
  readonly url: string;
  readonly scripts: ScriptServer;
  /** The commands so far, by their names. */
  readonly commands: string[];
  /** The arguments of each login. */
  readonly logins: (readonly string[])[];
  connections: number;
  /** Replies to the next commands, whatever they are; `undefined` is the proper reply. */
  readonly replies: (RespReply | undefined)[];
  /** Forgets all scripts, as a restart does. */
  forgetScripts(): void;
  stop(): Promise<void>;
}

/** @param certificate for a server that speaks TLS */
export async function startRespServer(certificate?: Certificate): Promise<RespServer> {
  const known = new Set<string>();
  const sockets = new Set<Socket>();
  const scripts = new ScriptServer(() => performance.timeOrigin + performance.now());
  const serve = (socket: Socket): void => {
    result.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('utf8');
      for (let next = readCommand(received); next; next = readCommand(received)) {
        received = received.slice(next.length);
        const [name = '', ...rest] = next.args;
        result.commands.push(name);
        if (name === 'AUTH') result.logins.push(rest);
        const planned = result.replies.shift();
        const reply = planned === undefined ? properReply(next.args) : planned;
        if (reply !== 'silence') socket.write(encode(reply));
      }
    });
  };
  const server = certificate ? createTlsServer(certificate, serve) : createServer(serve);
  const properReply = ([name, script = '', count, ...rest]: readonly string[]): unknown => {
    if (name === 'EVALSHA' && !known.has(script)) return new Error('NOSCRIPT No matching script.');
    if (name === 'EVAL') known.add(createHash('sha1').update(script).digest('hex'));
    return name === 'EVAL' || name === 'EVALSHA'
      ? scripts.evaluate(rest.slice(Number(count)))
      : 'OK';
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const result: RespServer = {
    url: `${certificate ? 'rediss' : 'redis'}://127.0.0.1:${port}/0`,
    scripts,
    commands: [],
    logins: [],
    connections: 0,
    replies: [],
    forgetScripts: () => {
      known.clear();
    },
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
  return result;
}

/** The texts of a ledger are ASCII: a length in bytes is one in characters. */
function readCommand(
  text: string,
): { readonly args: string[]; readonly length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (!head) return undefined;
  const args: string[] = [];
  let at = head[0].length;
  while (args.length < Number(head[1])) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at, at + 20));
    if (!size) return undefined;
    const from = at + size[0].length;
    at = from + Number(size[1]) + 2;
    if (text.length < at) return undefined;
    args.push(text.slice(from, at - 2));
  }
  return { args, length: at };
}

function encode(value: unknown): string {
  if (value instanceof Error) return `-${value.message}\r\n`;
  if (value === null) return '$-1\r\n';
  if (typeof value === 'number') return `:${value}\r\n`;
  if (Array.isArray(value)) return `*${value.length}\r\n${value.map(encode).join('')}`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}
