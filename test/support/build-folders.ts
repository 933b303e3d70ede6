/** What `npm run build` makes; the build of another checkout may be named by its dist/. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The published program and library. */
export const DIST = resolve(process.env['TANKOBON_DIST'] ?? 'dist');
/** The compiled modules, one by one, for worker processes. */
export const MODULES_URL = pathToFileURL(resolve(DIST, '../build')).href;
