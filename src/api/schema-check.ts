/** The checks of answers, loaded when the first request is on its way: what they are written with is large. */
import type { Shape } from './client.js';
import type * as answers from './response-schemas.js';

export type Answers = typeof answers;

/** Picks a shape among those of answers.ts, for `ApiRequest.shape`. */
export function matching<T>(
  pick: (answers: Answers) => { parse(value: unknown): T },
): () => Promise<Shape<T>> {
  return async () => {
    const schema = pick(await import('./response-schemas.js'));
    return (value) => schema.parse(value);
  };
}
