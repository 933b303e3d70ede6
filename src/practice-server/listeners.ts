/** The sockets of one practice service: a listener for each host, each on a port of its own. */
import { selfSigned, type Certificate } from './self-signed.js';
import type { FaultName } from './page-faults.js';
import type { Middleware } from './middleware.js';
import type { Role } from './request-log.js';
import type { PracticeOptions } from './practice-options.js';
import { listen, listenSilently, type Listener } from './http-adapter.js';

export interface Listeners {
  readonly api: Listener;
  readonly auth: Listener;
  readonly network: Listener;
  readonly images: Listener;
  readonly nodes: readonly Listener[];
  /** With `tls`: what all of the above show. */
  readonly certificate?: Certificate;
  /** The origin for the next base URL: the next node, or a bad one where the base URL is to be bad. */
  readonly nextOrigin: (fault: FaultName | undefined) => string;
  close(): Promise<void>;
}

/** Below all ports that are given out, and without a listener on any machine of today. */
const CLOSED_PORT = 1;

export async function openListeners(
  options: PracticeOptions,
  middleware: Middleware,
): Promise<Listeners> {
  const { ports = {}, nodes: howMany = 3, imagesFrom = 'nodes', advertisedNodes = [] } = options;
  const certificate = options.tls === true ? selfSigned() : undefined;
  // A server name must not be an address (RFC 6066, section 3), so TLS goes by the other name.
  const name = certificate ? 'localhost' : '127.0.0.1';
  const all: Pick<Listener, 'close'>[] = [];
  const open = async (
    role: Role,
    port = 0,
    {
      tls = certificate,
      calledAs,
      hostName = name,
    }: {
      tls?: Certificate | undefined;
      calledAs?: string | undefined;
      hostName?: string | undefined;
    } = {},
  ): Promise<Listener> => {
    const listener = await listen({
      name: hostName,
      port,
      ...(tls ? { tls } : {}),
      respond: (arrival, origin) => middleware(role, calledAs ?? origin, arrival),
    });
    all.push(listener);
    return listener;
  };
  const close = async (): Promise<void> => {
    await Promise.all(all.map((listener) => listener.close()));
  };
  try {
    const api = await open('api', ports.api);
    const auth = await open('auth', ports.auth);
    const network = await open('network', ports.network);
    const images = await open('images', ports.images);
    const nodes: Listener[] = [];
    for (let index = 0; index < howMany; index += 1) {
      const calledAs = advertisedNodes[index];
      const hostName = options.nodeHostNames?.[index];
      nodes.push(await open('node', ports.nodes?.[index], { calledAs, hostName }));
    }
    const unvouched = await open('node', 0, { tls: selfSigned() });
    // Without a certificate, a TLS server ends each handshake with an alert.
    const refusesTls = await open('node', 0, { tls: { key: '', cert: '' } });
    const silent = await listenSilently();
    all.push(silent);
    const originAt = (port: number) => `${certificate ? 'https' : 'http'}://${name}:${port}`;
    const servers = {
      nodes: nodes.map(({ origin }, index) => advertisedNodes[index] ?? origin),
      api: [api.origin],
      images: [images.origin],
    }[imagesFrom];
    let named = 0;
    return {
      api,
      auth,
      network,
      images,
      nodes,
      close,
      ...(certificate ? { certificate } : {}),
      nextOrigin(fault) {
        if (fault === 'connect-refused') return originAt(CLOSED_PORT);
        if (fault === 'silent-node') return originAt(silent.port);
        if (fault === 'bad-certificate') return unvouched.origin;
        if (fault === 'tls-refused') return refusesTls.origin;
        const next = servers[named % servers.length] ?? api.origin;
        named += 1;
        return next;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
