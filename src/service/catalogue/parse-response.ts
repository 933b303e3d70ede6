/** Parsers of responses. The schemas are imported while the first request is in flight, since zod is slow to load. */
import type * as schemas from './response-schemas.js';

export type ResponseSchemas = typeof schemas;

/** Parses the JSON of a response. Any error becomes `bad-response`. */
export type Parser<T> = (value: unknown) => T;

/** A parser for `ApiRequest.parser`. */
export function parseWith<T>(
  pick: (schemas: ResponseSchemas) => { parse(value: unknown): T },
): () => Promise<Parser<T>> {
  return async () => {
    const schema = pick(await import('./response-schemas.js'));
    return (value) => schema.parse(value);
  };
}
