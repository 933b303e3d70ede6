/**
 * What a program may import:
 *
 *     import { downloadChapters, openRateLedger, quotasOf, writeCbz } from 'tankobon';
 *
 * docs/library.md has it in prose, docs/example.mjs a program that runs. Everything else is the inside, and may
 * change with any release.
 */
export { downloadChapters, openRateLedger } from './library.js';
export type { DownloadChaptersOptions, Surroundings, Told } from './library.js';
export { SKIP_REASONS } from './download/events.js';
export type { DownloadEvent, PageBytes, SkipReason, Warning } from './download/events.js';
export type { Quality } from './delivery/page-url.js';

export type {
  HeardAnswer,
  Line,
  Place,
  RateLedger,
  ReserveOptions,
  Wait,
} from './service/rate-ledger.js';
export { ENDPOINT_ROWS, quotasOf } from './service/quotas.js';
export type { EndpointRow, PeriodScale, Quota } from './service/quotas.js';

export { writeCbz } from './archive/cbz.js';
export type { Cbz, CbzPage } from './archive/cbz.js';

export {
  AuthError,
  ChapterError,
  hasCode,
  LoadError,
  RunError,
  ServiceError,
  StorageError,
  TankobonError,
  UsageError,
} from './kernel/errors.js';
export { ERROR_CODES } from './kernel/error-codes.js';
export type { CodeFacts, ErrorCode } from './kernel/error-codes.js';
export { EXIT } from './kernel/exit-codes.js';
export type { ExitCode } from './kernel/exit-codes.js';
