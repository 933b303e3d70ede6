/** The checks of answers, loaded when the first request is on its way: what they are written with is large. */
import type { Parser } from './client.js';
import type * as answers from './response-schemas.js';

export type ResponseSchemas = typeof answers;

/** Picks a shape among those of answers.ts, for `ApiRequest.shape`. */
export function parseWith<T>(
  pick: (answers: ResponseSchemas) => { parse(value: unknown): T },
): () => Promise<Parser<T>> {
  return async () => {
    const schema = pick(await import('./response-schemas.js'));
    return (value) => schema.parse(value);
  };
}
