/**
 * What a program may import:
 *
 *     import { downloadChapters, openRateLedger, quotasOf, writeCbz } from 'tankobon';
 *
 * docs/library.md has it in prose, docs/example.mjs a program that runs. Everything else is the inside, and may
 * change with any release.
 */
export { downloadChapters, openRateLedger } from './public-api.js';
export type {
  ApiOptions,
  ApiPermit as Permit,
  ApiRateLedger as RateLedger,
  ApiRequest as RequestInfo,
  ApiResponse as ObservedResponse,
  ChapterMessage,
  DownloadChaptersOptions,
  RateLedgerOptions,
} from './public-api.js';
export { SKIP_REASONS } from './plan/skip-reasons.js';
export type {
  Detail,
  DownloadEvent,
  DownloadMessage,
  PageBytes,
  Warning,
} from './download/events.js';
export type { SkipReason } from './plan/skip-reasons.js';
export type { ChapterFields } from './selection/chapter-fields.js';
export { LEFT_OUT_REASONS } from './books/bind-events.js';
export type { BindEvent, BookPageEvent, LeftOutReason } from './books/bind-events.js';
export type { Quality } from './config/quality.js';

export type { ReserveOptions, Wait } from './service/ledger.js';
export { ENDPOINT_QUOTAS, quotasOf } from './service/quotas.js';
export type { EndpointQuota, Quota } from './service/quotas.js';

export { writeCbz } from './library/cbz-writer.js';
export type { Cbz, CbzPage } from './library/cbz-writer.js';

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
} from './core/errors.js';
export { ERROR_CODES } from './core/error-codes.js';
export type { ErrorCodeDefinition, ErrorCode } from './core/error-codes.js';
export type { LoadReason } from './service/load-reason.js';
export { EXIT } from './core/exit-codes.js';
export type { ExitCode } from './core/exit-codes.js';
