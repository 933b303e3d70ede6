/** Which tankobon this is: the one place that reads the package's own facts. */
import { readFileSync } from 'node:fs';

interface PackageFacts {
  readonly version: string;
  readonly homepage: string;
}

const facts = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as PackageFacts;

export const VERSION = facts.version;
export const HOME_PAGE = facts.homepage;
