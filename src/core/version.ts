/** The program's version, from package.json. */
import { readPackageFile } from './executable.js';

const { version } = JSON.parse(
  readPackageFile(new URL('../../package.json', import.meta.url)).toString(),
) as { readonly version: string };

export const VERSION = version;

/** Sent with every request (spec 8.1.3), and not configurable. */
export const USER_AGENT = `tankobon/${VERSION} node/${process.versions.node}`;
