/**
 * What a program may import:
 *
 *     import { bindChapters, downloadChapters, openRateLedger, searchTitles } from 'tankobon';
 *
 * docs/library.md has it in prose, docs/example.mjs a program that runs. Everything else is the inside, and may
 * change with any release.
 */
export { bindChapters, downloadChapters, openRateLedger, searchTitles } from './public-api.js';
export type {
  ApiOptions,
  ApiPermit as Permit,
  ApiRateLedger as RateLedger,
  ApiRequest as RequestInfo,
  ApiResponse as ObservedResponse,
  BindChaptersOptions,
  BookMessage,
  ChapterMessage,
  DownloadChaptersOptions,
  FoundTitle,
  RateLedgerOptions,
  SearchTitlesOptions,
  TitleSearchResult,
} from './public-api.js';
export { LEFT_OUT_REASONS, SKIP_REASONS } from './events/reasons.js';
export type { LeftOutReason, LoadReason, SkipReason } from './events/reasons.js';
export type {
  BindEvent,
  BookPageEvent,
  ChapterFields,
  Detail,
  DownloadEvent,
  DownloadMessage,
  PageBytes,
  Warning,
} from './library-events.js';
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
export { EXIT } from './core/exit-codes.js';
export type { ExitCode } from './core/exit-codes.js';
