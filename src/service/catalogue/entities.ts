/**
 * Reads entities: one by its path, or those of a collection. Entries of a collection that do not match the schema cause
 * one warning for all of it; only a collection without a usable entry is an error.
 */
import { ServiceError } from '../../core/errors.js';
import type { ServiceClient } from '../client.js';
import {
  appendAll,
  chunk,
  collectionQuery,
  MAX_COLLECTION_END,
  MAX_PAGE_SIZE,
  requestedSize,
  withRatings,
} from './collection.js';
import { parseWith, type ResponseSchemas } from './parse-response.js';
import type { CollectionPage, EntitySchema } from './response-schemas.js';

/** Picks the schema of an entity, once the schemas are loaded. */
export type SchemaOf<T> = (schemas: ResponseSchemas) => EntitySchema<T>;

/** Throws ServiceRefusal with status 404 if it is not found. */
export async function fetchEntity<T>(
  client: ServiceClient,
  path: string,
  schema: SchemaOf<T>,
  { includes, signal }: { readonly includes?: readonly string[]; readonly signal?: AbortSignal },
): Promise<T> {
  return client.api({
    method: 'GET',
    path,
    query: appendAll(new URLSearchParams(), 'includes', includes),
    parser: parseWith((schemas) => schemas.single(schema(schemas))),
    signal,
  });
}

export interface CollectionOptions {
  /** Called at most once for each collection. */
  readonly warn?: (message: string) => void;
  readonly signal?: AbortSignal;
}

/** Far more full pages than any title has: a limit for collections that never end. */
const MAX_PAGES = 400;

export class CollectionReader<T> {
  #pages = 0;
  #received = 0;
  #usable = 0;
  #repaired = 0;

  constructor(
    private readonly client: ServiceClient,
    private readonly path: string,
    private readonly schema: SchemaOf<T>,
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

  /**
   * Pages of up to `size` entries, to the end of the collection or of what the service lists of it (spec 8.4). Throws
   * ServiceError `bad-response` after very many, also of several calls.
   */
  async *pages(
    size: number,
    parameters: URLSearchParams,
  ): AsyncGenerator<{ readonly items: readonly T[]; readonly isLast: boolean }> {
    for (let offset = 0, isLast = false; !isLast && offset < MAX_COLLECTION_END;) {
      this.#pages += 1;
      if (this.#pages > MAX_PAGES) throw endlessCollection(this.path);
      const query = collectionQuery(offset, Math.min(size, MAX_COLLECTION_END - offset));
      for (const [name, value] of parameters) query.append(name, value);
      const { items, received, total } = await this.readPage(query);
      offset += received;
      isLast = received === 0 || offset >= total;
      yield { items, isLast };
    }
  }

  /** All entries that the service lists: one request per 100. */
  async readAll(parameters: URLSearchParams): Promise<T[]> {
    const found: T[] = [];
    for await (const { items } of this.pages(MAX_PAGE_SIZE, parameters))
      for (const each of items) found.push(each);
    this.finish();
    return found;
  }

  /** Reads the entities of these ids that the service lists: one request per 100, each with `parameters`. */
  async readByIds<Item>(
    ids: readonly string[],
    parameters: URLSearchParams,
    toItem: (entity: T) => Item,
  ): Promise<Item[]> {
    const found: Item[] = [];
    for (const some of chunk([...new Set(ids)], MAX_PAGE_SIZE)) {
      const query = withRatings(collectionQuery(0, MAX_PAGE_SIZE));
      for (const [name, value] of parameters) query.append(name, value);
      const { items } = await this.readPage(appendAll(query, 'ids', some));
      // The entities of thousands of chapters would fill the memory.
      for (const each of items.map(toItem)) found.push(each);
    }
    this.finish();
    return found;
  }

  /** The number of entries skipped so far. */
  get skipped(): number {
    return this.#received - this.#usable;
  }

  /** Call it after the last page. Throws ServiceError `bad-response` if there are entries and none is usable. */
  finish(): void {
    const what = `response from GET ${this.path}`;
    if (this.#received > 0 && this.#usable === 0) {
      throw new ServiceError(
        'bad-response',
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

export function endlessCollection(path: string): ServiceError {
  return new ServiceError(
    'bad-response',
    `Unexpected response from the service: the list does not end: ${path}.`,
  );
}
