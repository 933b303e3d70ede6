/** Which chapters files are by the digests of their pages, which prove it: one request for each chapter that may fit. */
import type { ServiceClient } from '../service/client.js';
import { reusableBuffer } from '../core/zip-file.js';
import { readPageDigests } from '../library/chapter-file.js';
import { ChapterError } from '../core/errors.js';
import { minTimeMs } from '../service/estimate.js';
import {
  digestInFileName,
  fetchAtHomeMetadata,
  pageFileNames,
  type AtHomeMetadata,
} from '../service/at-home.js';
import { QUALITIES, type Quality } from '../config/quality.js';
import type { Evidence } from '../events/reasons.js';
import { unavailableReason } from '../selection/exclusions.js';
import type { AdoptableFile } from './adoptable-files.js';
import type { Candidate } from './match-names.js';
import type { Recognition, RecognizeDeps, Recognized, Unrecognized } from './recognize-files.js';

/** More releases of one number are not compared. */
const MAX_COMPARED = 8;

/** Compares the pages of files with those of the chapters that may be theirs: one request for each chapter. */
export async function recognizeByPages(
  files: readonly Unrecognized[],
  deps: RecognizeDeps,
): Promise<Recognition> {
  const comparable = files.map((each) => ({ ...each, compared: toCompare(each, deps.nowMs) }));
  const ids = new Set(
    comparable.flatMap(({ compared }) => compared.map(({ chapter }) => chapter.id)),
  );
  if (ids.size > 0)
    deps.onComparison({ requests: ids.size, leastMs: minTimeMs(ids.size, 'chapters') });
  const metadata = new Map<string, AtHomeMetadata | undefined>();
  const recognized: Recognized[] = [];
  const left: Unrecognized[] = [];
  const getBuffer = reusableBuffer();
  for (const { compared, ...each } of comparable) {
    const readPages = () => readPageDigests(each.file, getBuffer, deps.signal);
    const found = await findByPages(each.file, compared, { metadata, readPages }, deps);
    if (found) recognized.push({ ...found, evidence: evidenceOf(each) });
    else left.push(each);
  }
  return { recognized, left };
}

function evidenceOf({ reason }: Unrecognized): readonly Evidence[] {
  const isNumbered = reason !== 'unclear-number' && reason !== 'no-number';
  return isNumbered ? ['title', 'number', 'pages'] : ['title', 'pages'];
}

function toCompare({ reason, candidates }: Unrecognized, nowMs: number): readonly Candidate[] {
  if (reason === 'other-language') return [];
  return candidates
    .filter(({ chapter }) => unavailableReason(chapter, nowMs) === undefined)
    .slice(0, MAX_COMPARED);
}

async function findByPages(
  file: AdoptableFile,
  candidates: readonly Candidate[],
  {
    metadata,
    readPages,
  }: {
    readonly metadata: Map<string, AtHomeMetadata | undefined>;
    readonly readPages: () => Promise<readonly string[]>;
  },
  { client, signal }: RecognizeDeps,
): Promise<Omit<Recognized, 'evidence'> | undefined> {
  if (candidates.length === 0) return undefined;
  const pages = await readPages().catch(() => undefined);
  signal.throwIfAborted();
  if (!pages) return undefined;
  for (const candidate of candidates) {
    const { id } = candidate.chapter;
    if (!metadata.has(id)) metadata.set(id, await fetchNames(client, id, signal));
    const quality = matchingQuality(metadata.get(id), pages);
    if (quality) return { file, ...candidate, quality, pages };
  }
  return undefined;
}

/** Undefined for a chapter that the service does not deliver. */
async function fetchNames(
  client: ServiceClient,
  chapterId: string,
  signal: AbortSignal,
): Promise<AtHomeMetadata | undefined> {
  return fetchAtHomeMetadata(client, chapterId, signal).catch((error: unknown) => {
    if (!(error instanceof ChapterError)) throw error;
    return undefined;
  });
}

/** The quality of which the file has all pages; it may have more, such as covers, but not another chapter. */
function matchingQuality(
  metadata: AtHomeMetadata | undefined,
  pages: readonly string[],
): Quality | undefined {
  if (!metadata) return undefined;
  const known = new Set(pages);
  return QUALITIES.find((quality) => {
    const names = pageFileNames(metadata, quality);
    const isOneChapter = names.length > 0 && pages.length <= 2 * names.length;
    return isOneChapter && names.every((name) => known.has(digestInFileName(name) ?? ''));
  });
}
