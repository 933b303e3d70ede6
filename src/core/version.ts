/** The program's version, from package.json. */
import { readFileSync } from 'node:fs';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };

export const VERSION = version;

/** Sent with every request (spec 8.1.3), and not configurable. */
export const USER_AGENT = `tankobon/${VERSION} node/${process.versions.node}`;
