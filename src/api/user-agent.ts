/**
 * The name by which every request says who sends it (spec 8.1.3): true, and the same everywhere. There is no
 * option for another one.
 */
import { HOME_PAGE, VERSION } from '../core/version.js';

/** `tankobon/<version> (+<home page>) node/<version>` */
export const USER_AGENT = `tankobon/${VERSION} (+${HOME_PAGE}) node/${process.versions.node}`;
