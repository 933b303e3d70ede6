/**
 * Reads the pages of one collection and counts the entries that do not match the schema. They cause one warning for
 * the whole collection; only a collection without a usable entry is an error.
 */
import { ServiceError } from '../core/errors.js';
import type { ServiceClient } from './client.js';
import { requestedSize } from './collection.js';
import { parseWith, type ResponseSchemas } from './parse-response.js';
import type { CollectionPage, EntitySchema } from './response-schemas.js';

export interface CollectionOptions {
  /** Called at most once for each collection. */
  readonly warn?: (message: string) => void;
  readonly signal?: AbortSignal;
}

export class CollectionReader<T> {
  #received = 0;
  #usable = 0;
  #repaired = 0;

  constructor(
    private readonly client: ServiceClient,
    private readonly path: string,
    private readonly schema: (schemas: ResponseSchemas) => EntitySchema<T>,
    private readonly options: CollectionOptions,
  ) {}

  /** Sends one request. */
  async readPage(query: URLSearchParams): Promise<CollectionPage<T>> {
    const limit = requestedSize(query);
    const page = await this.client.api({
      method: 'GET',
      path: this.path,
      query,
      parser: parseWith((schemas) => schemas.collection(this.schema(schemas), limit)),
      signal: this.options.signal,
    });
    this.#received += page.received;
    this.#usable += page.items.length;
    this.#repaired += page.repaired;
    return page;
  }

  /** The number of entries skipped so far. */
  get skipped(): number {
    return this.#received - this.#usable;
  }

  /** Call it after the last page. Throws ServiceError `bad-answer` if there are entries and none is usable. */
  finish(): void {
    const what = `response from GET ${this.path}`;
    if (this.#received > 0 && this.#usable === 0) {
      throw new ServiceError(
        'bad-answer',
        `Unexpected ${what}: none of its entries (${this.#received}) can be used.`,
      );
    }
    if (this.skipped === 0 && this.#repaired === 0) return;
    this.options.warn?.(
      `Unexpected entries in the ${what}: of ${this.#received}, ${this.skipped} skipped and ` +
        `${this.#repaired} read with defaults.`,
    );
  }
}
