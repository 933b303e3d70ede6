/** The program's version, from package.json. */
import { readFileSync } from 'node:fs';

/** The build puts it in (scripts/bundle-options.js): reading the file takes a millisecond of each start. */
declare const PACKAGE_VERSION: string | undefined;

export const VERSION = typeof PACKAGE_VERSION === 'string' ? PACKAGE_VERSION : readVersion();

function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
  return version;
}

/** Sent with every request (spec 8.1.3), and not configurable. */
export const USER_AGENT = `tankobon/${VERSION} node/${process.versions.node}`;
