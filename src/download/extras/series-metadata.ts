/**
 * Metadata of a series for programs that take it from no chapter: `series.json` of mylar, for Komga, and `details.json`,
 * for Mihon. Both ignore unknown members, so a member of tankobon's own marks the files and shows later edits.
 */
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Title } from '../../service/titles.js';
import type { Options } from '../../config/options.js';
import { preferredText } from '../../core/preferred-text.js';
import { readFileState, replaceUnchanged, type FileState } from '../../core/file-state.js';
import { plainSummary } from '../../library/comic-info.js';
import { hasCode } from '../../core/errors.js';
import {
  isOwnFile,
  lstatIfExists,
  PRIVATE_FILE_MODE,
  readRegularFileIfExists,
  temporaryName,
  toStorageError,
  writeNewFile,
} from '../../core/files.js';
import { isRecord, parseJson } from '../../core/json.js';
import { publishNew } from '../../core/publish.js';
import { sha256Of } from '../../core/sha256.js';

export interface DescribedSeries {
  readonly title: Title;
  /** The languages of its description in order of preference. */
  readonly languages: readonly string[];
  /** Whether the folder has a file for each volume, so that their number is that of the files. */
  readonly hasVolumeBooks: boolean;
  /** The address of the cover; empty if there is none. */
  readonly coverAddress: string;
}

type Content = Readonly<Record<string, unknown>>;

/**
 * The content of each file by its name. Mihon reads the first file of a folder that ends with `.json`, whatever its name,
 * so both have what it reads. Pure.
 */
export function seriesMetadata(series: DescribedSeries): ReadonlyMap<string, Content> {
  const details = mihonDetails(series);
  return new Map([
    ['series.json', { ...mylarSeries(series), ...details }],
    ['details.json', details],
  ]);
}

export const FILE_NAMES = ['series.json', 'details.json'] as const;

export function isSeriesMetadata(name: string): boolean {
  return FILE_NAMES.some((each) => each === name);
}

/** Whether the folder lacks one of the files. With `--no-chapters` each gets them. */
export async function needsSeriesMetadata(
  folder: string,
  { chapterFiles = true }: Pick<Options, 'chapterFiles'>,
): Promise<boolean> {
  if (!chapterFiles) return true;
  for (const name of FILE_NAMES)
    if ((await lstatIfExists(join(folder, name))) === undefined) return true;
  return false;
}

/** Komga refuses a file that lacks one of these, or has another type. */
function mylarSeries({ title, hasVolumeBooks, coverAddress, ...series }: DescribedSeries): Content {
  const { name, id, year, status, volumeCount = 0 } = title;
  const isEnded = status === 'completed' || status === 'cancelled';
  const description = summaryOf(title, series.languages);
  const run = isEnded ? String(year) : `${year} - Present`;
  return {
    version: '1.0.2',
    metadata: {
      type: 'comicSeries',
      publisher: '',
      name,
      comicid: id,
      year: year ?? 0,
      description_text: description,
      description_formatted: description,
      booktype: 'Print',
      // Versions of Komga differ in the spelling.
      ComicImage: coverAddress,
      comic_image: coverAddress,
      total_issues: hasVolumeBooks ? volumeCount : 0,
      publication_run: year === undefined ? '' : run,
      status: isEnded ? 'Ended' : 'Continuing',
    },
  };
}

/** The numbers that Mihon has for a status. */
const MIHON_STATUS: ReadonlyMap<string | undefined, number> = new Map([
  ['ongoing', 1],
  ['completed', 2],
  ['cancelled', 5],
  ['hiatus', 6],
]);

function mihonDetails({ title, languages }: DescribedSeries): Content {
  const { demographic } = title;
  return {
    title: title.name,
    author: title.authors.join(', '),
    artist: title.artists.join(', '),
    description: summaryOf(title, languages),
    genre: [...title.genres, ...(demographic === undefined ? [] : [demographic]), ...title.tags],
    status: MIHON_STATUS.get(title.status) ?? 0,
  };
}

function summaryOf({ description }: Title, languages: readonly string[]): string {
  return plainSummary(preferredText(description, [...languages, 'en']) ?? '');
}

/** The member that marks a file: the title, and the sha256 of all other members. */
const MARK = 'tankobon';
const MAX_BYTES = 2 ** 20;

/** Pure; the text that is written for this title. */
export function markedJson(content: Content, titleId: string): string {
  const mark = { title: titleId, sha256: digestOf(content) };
  return `${JSON.stringify({ ...content, [MARK]: mark }, undefined, 2)}\n`;
}

/** Whether tankobon wrote the text for this title, and nothing changed it since. */
export function isOwnJson(text: string, titleId: string): boolean {
  return ownContent(text, titleId) !== undefined;
}

/** What tankobon wrote for this title, without its mark; undefined if something changed it since. */
function ownContent(text: string, titleId: string): Content | undefined {
  const parsed = parseJson(text);
  if (!isRecord(parsed)) return undefined;
  const { [MARK]: mark, ...content } = parsed;
  const isOwn = isRecord(mark) && mark['title'] === titleId && mark['sha256'] === digestOf(content);
  return isOwn ? content : undefined;
}

/** The id of the title for which tankobon wrote the files in a folder; undefined if it wrote none. */
export async function seriesMetadataOwner(folder: string): Promise<string | undefined> {
  for (const name of FILE_NAMES) {
    const options = { maxBytes: MAX_BYTES };
    // A link, a device or an endless file is not one of these.
    const text = await readRegularFileIfExists(join(folder, name), options).catch(() => undefined);
    const parsed = parseJson(text?.toString('utf8') ?? '');
    const mark = isRecord(parsed) ? parsed[MARK] : undefined;
    const title = isRecord(mark) ? mark['title'] : undefined;
    if (typeof title === 'string') return title;
  }
  return undefined;
}

/** Whether the file is as tankobon wrote it for this title. Throws StorageError `unsafe-path` for a link. */
export async function isOwnSeriesMetadata(file: string, titleId: string): Promise<boolean> {
  const existing = await readRegularFileIfExists(file, { maxBytes: MAX_BYTES });
  return existing !== undefined && isOwnJson(existing.toString('utf8'), titleId);
}

/**
 * Gives the file the new name of the title, so that it need not wait for the next chapter; the rest stays. One that
 * tankobon did not write for this title stays whole. Throws errors of the file system.
 */
export async function renameInSeriesMetadata(file: string, { id, name }: Title): Promise<void> {
  const state = await readFileState(file);
  const existing = await readRegularFileIfExists(file, { maxBytes: MAX_BYTES });
  const content = ownContent(existing?.toString('utf8') ?? '', id);
  if (!state || !isOwnFile(file, state) || !content) return;
  const { metadata } = content;
  const renamed = {
    ...content,
    ...(isRecord(metadata) && { metadata: { ...metadata, name } }),
    title: name,
  };
  await replaceText(file, markedJson(renamed, id), state);
}

/**
 * Brings what the file says of the title up to date; its name and its cover stay. Resolves with whether it was, or would
 * be, written: a file that is missing, or that tankobon did not write for this title, or that was edited since, stays as
 * it is. Throws errors of the file system.
 */
export async function followFile(
  file: string,
  {
    title,
    languages,
    hasVolumeBooks,
  }: Pick<DescribedSeries, 'title' | 'languages'> & { readonly hasVolumeBooks?: boolean },
  dryRun: boolean,
): Promise<boolean> {
  const state = await readFileState(file);
  const existing = await readRegularFileIfExists(file, { maxBytes: MAX_BYTES });
  const text = existing?.toString('utf8') ?? '';
  const content = ownContent(text, title.id);
  if (!state || !isOwnFile(file, state) || !content) return false;
  const { metadata, title: name } = content;
  const { comic_image: image, total_issues: volumes } = isRecord(metadata) ? metadata : {};
  const described = {
    languages,
    hasVolumeBooks: hasVolumeBooks ?? (typeof volumes === 'number' && volumes > 0),
    title: { ...title, ...(typeof name === 'string' && { name }) },
    coverAddress: typeof image === 'string' ? image : '',
  };
  const now = seriesMetadata(described).get(basename(file));
  if (!now) return false;
  const newText = markedJson(now, title.id);
  return newText !== text && (dryRun || (await replaceText(file, newText, state)));
}

function digestOf(content: Content): string {
  return sha256Of(JSON.stringify(content));
}

/**
 * Writes the files that are missing, and those of tankobon that changed; resolves with their paths. Any other file is
 * kept, with a warning. Throws StorageError.
 */
export async function writeSeriesMetadata(
  folder: string,
  series: DescribedSeries,
  warn: (message: string) => void,
): Promise<string[]> {
  const written: string[] = [];
  for (const [name, content] of seriesMetadata(series)) {
    const file = join(folder, name);
    const text = markedJson(content, series.title.id);
    const result = await writeMarked(file, text, series.title.id);
    if (result === 'written') written.push(file);
    if (result === 'kept')
      warn(`Kept, since it was not written by tankobon for this title, or edited since: ${file}`);
  }
  return written;
}

async function writeMarked(
  file: string,
  text: string,
  titleId: string,
): Promise<'written' | 'unchanged' | 'kept'> {
  const state = await readFileState(file);
  const existing = await readRegularFileIfExists(file, { maxBytes: MAX_BYTES }).catch(
    (error: unknown) => {
      if (!hasCode(error, 'unsafe-path')) throw error;
      return Buffer.alloc(0);
    },
  );
  if (existing?.equals(Buffer.from(text))) return 'unchanged';
  if (state && !isOwnFile(file, state)) return 'kept';
  if (existing && !isOwnJson(existing.toString('utf8'), titleId)) return 'kept';
  return (await replaceText(file, text, state)) ? 'written' : 'kept';
}

/** False if the file is not in this state any more. */
async function replaceText(
  file: string,
  text: string,
  state: FileState | undefined,
): Promise<boolean> {
  const tmpFile = temporaryName(file);
  try {
    await writeNewFile(tmpFile, text, state ? { mode: PRIVATE_FILE_MODE } : {});
    return await (state ? replaceUnchanged(tmpFile, file, state) : publishNew(tmpFile, file));
  } catch (error) {
    throw toStorageError(error, file);
  } finally {
    await rm(tmpFile, { force: true }).catch(() => undefined);
  }
}
