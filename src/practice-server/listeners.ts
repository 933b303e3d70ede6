/** The sockets of one practice server: a listener for each host, each on its own port. */
import { listen, listenSilently, type Listener, type ListenOptions } from './http-adapter.js';
import type { Middleware } from './middleware.js';
import type { FaultName } from './page-faults.js';
import type { PracticeOptions } from './practice-options.js';
import type { Role } from './request-log.js';
import { selfSigned } from './self-signed.js';

export type Listeners = Awaited<ReturnType<typeof openListeners>>;

interface OpenOptions extends Partial<Pick<ListenOptions, 'port' | 'tls' | 'hostname'>> {
  /** Replaces the listener's origin in the log. */
  readonly advertisedAs?: string;
}

/** No listener uses this port. */
const CLOSED_PORT = 1;

export async function openListeners(options: PracticeOptions, middleware: Middleware) {
  const certificate = options.tls === true ? selfSigned() : undefined;
  // A server name cannot be an address (RFC 6066, section 3).
  const defaultHostname = certificate ? 'localhost' : '127.0.0.1';
  const all: Pick<Listener, 'close'>[] = [];
  const open = async (role: Role, openOptions: OpenOptions = {}): Promise<Listener> => {
    const { port, tls = certificate, hostname = defaultHostname, advertisedAs } = openOptions;
    const listener = await listen({
      hostname,
      port,
      tls,
      respond: (request, origin) => middleware(role, advertisedAs ?? origin, request),
    });
    all.push(listener);
    return listener;
  };
  const close = async (): Promise<void> => {
    await Promise.all(all.map((listener) => listener.close()));
  };
  try {
    const hosts = await openHosts(options, open);
    const silent = await listenSilently();
    all.push(silent);
    const originAt = (port: number): string =>
      `${certificate ? 'https' : 'http'}://${defaultHostname}:${port}`;
    const faultyOrigins: Partial<Record<FaultName, string>> = {
      'connect-refused': originAt(CLOSED_PORT),
      'silent-node': originAt(silent.port),
      'bad-certificate': (await open('node', { tls: () => selfSigned() })).origin,
      // Without a certificate, a TLS server ends each handshake with an alert.
      'tls-refused': (await open('node', { tls: () => ({ key: '', cert: '' }) })).origin,
    };
    const { api, images, nodes } = hosts;
    const imageOrigins = {
      nodes: nodes.map(({ origin }, index) => options.advertisedNodes?.[index] ?? origin),
      api: [api.origin],
      images: [images.origin],
    }[options.imagesFrom ?? 'nodes'];
    let issued = 0;
    return {
      ...hosts,
      /** With `tls`: the certificate of all hosts. */
      certificate,
      close,
      /** The origin for the next base URL: the next node, or a faulty one. */
      nextOrigin(fault: FaultName | undefined, onPort443: boolean): string {
        const faultyOrigin = fault && faultyOrigins[fault];
        if (faultyOrigin !== undefined) return faultyOrigin;
        const [first = api.origin] = imageOrigins;
        if (onPort443) return first;
        const origin = imageOrigins[issued % imageOrigins.length] ?? first;
        issued += 1;
        return origin;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openHosts(
  { ports = {}, nodes: nodeCount = 3, nodeHostNames, advertisedNodes }: PracticeOptions,
  open: (role: Role, options: OpenOptions) => Promise<Listener>,
) {
  const nodes: Listener[] = [];
  const api = await open('api', { port: ports.api });
  const auth = await open('auth', { port: ports.auth });
  const network = await open('network', { port: ports.network });
  const images = await open('images', { port: ports.images });
  for (let index = 0; index < nodeCount; index += 1) {
    const port = ports.nodes?.[index];
    const hostname = nodeHostNames?.[index];
    nodes.push(await open('node', { port, hostname, advertisedAs: advertisedNodes?.[index] }));
  }
  return { api, auth, network, images, nodes };
}
