/** Options of the practice server. Every option has a default. */
import type { Clock } from '../core/clock.js';
import type { TokenOptions } from './accounts.js';
import type { Endpoint } from './endpoint.js';
import type { Library, LibraryChapter } from './library/library.js';
import type { LimiterOptions } from './limiter.js';
import type { LogEntry, Role } from './request-log.js';

export interface PracticeOptions {
  /** Determines periods, expiries and latencies; the system's clock by default. */
  readonly clock?: Clock;
  /** The example library by default. */
  readonly library?: Library;
  /** Chapters in addition to the library's. */
  readonly chapters?: readonly LibraryChapter[];
  /** API endpoints in addition to the service's own, which they override. */
  readonly endpoints?: readonly Endpoint[];
  /** Serve only the specification's own endpoints, without `/chapter` and `/manga`. */
  readonly specificationOnly?: boolean;
  /** The number of volunteers' nodes, named by the base URLs in turn; 3 by default. */
  readonly nodes?: number;
  /**
   * The host name of each node in its base URLs. Each must resolve to 127.0.0.1: `['127.0.0.1', 'localhost']` makes the
   * nodes different hosts. By default all nodes are ports of the same host.
   */
  readonly nodeHostNames?: readonly string[];
  /** The origin of each node in its base URLs if clients reach it through a forwarder; its own by default. */
  readonly advertisedNodes?: readonly string[];
  /**
   * The server of the pages: the volunteers' nodes (default), the API host (first-party domain, no report is due), or
   * the service's image host on its own port.
   */
  readonly imagesFrom?: 'nodes' | 'api' | 'images';
  /** The lifetime of a base URL; 15 minutes by default. */
  readonly baseUrlMs?: number;
  /** Any free ports by default. */
  readonly ports?: Partial<Record<Exclude<Role, 'node'>, number>> & {
    readonly nodes?: readonly number[];
  };
  /** Use https on every host, with `PracticeService.certificate`. */
  readonly tls?: boolean;
  /** The delay of each response, for all hosts or by host. */
  readonly latencyMs?: number | Partial<Record<Role, number>>;
  /** The error of the service's time stamps (Date, X-RateLimit-Retry-After). */
  readonly dateSkewMs?: number;
  readonly limits?: LimiterOptions;
  readonly tokens?: TokenOptions;
  /** The status for a rejected bearer, which the specification leaves open; 401 by default. */
  readonly rejectBearerWith?: 401 | 403;
  /** Called with every request once its response is determined. */
  readonly onRequest?: (entry: LogEntry) => void;
}
