/** Version and home page, from package.json. */
import { readFileSync } from 'node:fs';

interface PackageJson {
  readonly version: string;
  readonly homepage: string;
}

const { version, homepage } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as PackageJson;

export const VERSION = version;
export const HOME_PAGE = homepage;
