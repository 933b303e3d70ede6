/** What the practice service can be started with. Everything has a default; all times are in milliseconds. */
import type { Clock } from '../core/clock.js';
import type { Endpoint } from './endpoint.js';
import type { LimiterOptions } from './limiter.js';
import type { Library, LibraryChapter } from './library/library.js';
import type { LogEntry, Role } from './request-log.js';
import type { TokenOptions } from './accounts.js';

export interface PracticeOptions {
  /** The system's clock where absent. Periods, expiries and latencies follow it; sockets do not. */
  readonly clock?: Clock;
  /** What there is to read; the example library where absent. */
  readonly library?: Library;
  /** Chapters beside those of the library. */
  readonly chapters?: readonly LibraryChapter[];
  /** Endpoints of the API beside the service's own. They go before all others. */
  readonly endpoints?: readonly Endpoint[];
  /** Know the specification's own endpoints alone: no `/chapter`, no `/manga`. */
  readonly specificationOnly?: boolean;
  /** How many volunteers' nodes there are; each base URL names the next one. 3 where absent. */
  readonly nodes?: number;
  /**
   * The host name of each node in its base URLs, which must resolve to 127.0.0.1: with `['127.0.0.1', 'localhost']`
   * the nodes are different hosts. By default all nodes are ports of one host.
   */
  readonly nodeHostNames?: readonly string[];
  /**
   * What the base URLs call each node, as origins, where clients reach it by another way: through a forwarder, say.
   * Its own origin where absent.
   */
  readonly advertisedNodes?: readonly string[];
  /**
   * Who serves the pages: the volunteers' nodes (where absent), the API's own host and port (then they are from
   * the own domain, and no report is due), or an image host of the service, on a port of its own.
   */
  readonly imagesFrom?: 'nodes' | 'api' | 'images';
  /** How long a base URL is good for; 15 minutes where absent. */
  readonly baseUrlMs?: number;
  /** Fixed ports; any free one where absent. */
  readonly ports?: {
    readonly api?: number;
    readonly auth?: number;
    readonly network?: number;
    readonly images?: number;
    readonly nodes?: readonly number[];
  };
  /** Speak https on every host, with the certificate that `PracticeService.certificate` then holds. */
  readonly tls?: boolean;
  /** How long each answer is held back, for all hosts or by host. */
  readonly latencyMs?: number | Partial<Record<Role, number>>;
  /** The service's stamps (Date, X-RateLimit-Retry-After) are wrong by this, against the clock. */
  readonly dateSkewMs?: number;
  readonly limits?: LimiterOptions;
  readonly tokens?: TokenOptions;
  /** The status of a rejected bearer, which the specification does not name. 401 where absent. */
  readonly rejectBearerWith?: 401 | 403;
  /** Told of every request once it is answered (or will never be). */
  readonly onRequest?: (entry: LogEntry) => void;
}
