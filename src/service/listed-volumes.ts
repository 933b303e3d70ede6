/** Which chapters the service lists in which volume of a title, over all languages and groups. */
import type { ServiceClient } from './client.js';
import { parseWith } from './catalogue/parse-response.js';

/** A chapter number in a volume. */
export interface ListedNumber {
  readonly volume: string;
  readonly number: string;
  /** How many releases of the number name the volume. */
  readonly releases: number;
}

/** The service writes this in place of a number or a volume that a release does not have. */
const NONE = 'none';

/** Leaves out releases that lack a volume or a number. Sends one request; throws as `client.api` does. */
export async function fetchListedVolumes(
  client: ServiceClient,
  titleId: string,
  signal: AbortSignal,
): Promise<readonly ListedNumber[]> {
  const { volumes } = await client.api({
    method: 'GET',
    path: `/manga/${titleId}/aggregate`,
    parser: parseWith((schemas) => schemas.listedVolumes),
    signal,
  });
  return volumes
    .filter(({ volume }) => isNamed(volume))
    .flatMap(({ volume, chapters }) =>
      chapters
        .filter(({ chapter }) => isNamed(chapter))
        .map(({ chapter, count }) => ({ volume, number: chapter, releases: count })),
    );
}

function isNamed(text: string): boolean {
  return text !== '' && text !== NONE;
}
