/**
 * The names of the files that a run writes: those of the template, in the folder where the title is, and for a file that
 * is replaced the name that `retag` would give that. Archives name their title; which title older ones belong to is known
 * from its releases, or from its names and, if these are not its own, from the service. What reads metadata is loaded when
 * it is needed.
 */
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fetchChapters, type Chapter } from '../../service/chapters.js';
import type { Title } from '../../service/titles.js';
import { groupBy } from '../../core/group-by.js';
import { isUnchanged, readFileState } from '../../core/file-state.js';
import { folderKey } from '../../core/name-keys.js';
import { pathCollisionKey } from '../../core/path-segment.js';
import { pathBelow } from '../../core/relative-paths.js';
import { readFileChapters, type FoundChapter } from '../../library/file.js';
import type { NameValues, RecordedName } from '../../config/name-template.js';
import { isVolumeFirst, templateFor, type NameTemplate } from '../../config/names.js';
import { containerByExtension, CONTAINERS } from '../../config/containers.js';
import type { LibraryIndex } from '../../library/scan.js';
import { replacedFile, type Release, type UnnamedWrite } from '../../plan/change.js';
import {
  findTitle,
  nameValues,
  titleIdOf,
  withInferredVolume,
  type NamedChapter,
} from './comic-metadata.js';
import {
  newPath,
  withPaths,
  type NamedFile,
  type ReplacedName,
  type TemplateName,
} from '../../plan/paths.js';
import { freeName, seriesInPath } from '../../plan/title-names.js';
import {
  MAX_READ_OF_LIKELY,
  MAX_READ_OF_TITLE,
  movedPath,
  nameOptions,
  newHome,
  sampleFolders,
  titleHome,
  type KnownChapter,
  type TitleHome,
} from './title-folder.js';
import type { Resolution } from '../../selection/resolve-targets.js';
import { isTolerable } from '../../selection/title-loader.js';
import type { readChapterFile } from '../../library/chapter-file.js';
import type { DownloadRequest, NameChapter } from '../download-request.js';
import type { DownloadSession } from '../download-session.js';

export interface Naming extends Pick<DownloadRequest, 'output' | 'metadata'> {
  readonly library: LibraryIndex;
  readonly titles: ReadonlyMap<string, Title>;
  /** The templates of the run: in one language, and in several. */
  readonly nameTemplates: NameChapter;
  /** Returns a chapter's path below the output folder. */
  readonly nameChapter: NameTemplate;
  /** Where the chapters of titles are, by the title's id. */
  readonly homes: ReadonlyMap<string, TitleHome> | undefined;
  /** The ids of chapters that the service moved from the titles that their files name. */
  readonly movedIds: ReadonlySet<string>;
}

export async function nameFiles(
  changes: readonly UnnamedWrite[],
  naming: Naming,
  signal: AbortSignal,
): Promise<ReturnType<typeof withPaths>> {
  const newNames = new Map<string, ReplacedName>();
  const known: UnnamedWrite[] = [];
  for (const change of changes) {
    signal.throwIfAborted();
    const named = await withNewName(change, naming);
    if (named?.newName) newNames.set(change.release.id, named.newName);
    known.push(named?.change ?? change);
  }
  const { output, library } = naming;
  const ofTemplate = (release: Release) => templateName(release, naming);
  return withPaths(known, { output, library, newNames, templateName: ofTemplate });
}

/** What the template gives, in the folder in which the title is. */
export function templateName(
  { id, chapter }: { readonly id: string; readonly chapter: NamedChapter | undefined },
  naming: Naming,
): TemplateName {
  if (!chapter || !naming.metadata) return { path: `${id}.cbz`, recorded: {} };
  const title = withHome(findTitle(naming.titles, chapter), chapter, naming);
  const home = homeOf(chapter, naming) ?? newHome('', formFor(title, naming.nameChapter));
  return home.nameOf(nameValues(chapter, title));
}

function formFor(title: Title | undefined, template: NameTemplate): NameTemplate {
  return title ? templateFor(template, title) : template;
}

function homeOf(
  chapter: NamedChapter | undefined,
  { homes }: Pick<Naming, 'homes'>,
): TitleHome | undefined {
  return homes?.get(titleIdOf(chapter) ?? '');
}

/** The title with the name that it has in the folder. */
export function withHome(
  title: Title | undefined,
  chapter: NamedChapter | undefined,
  naming: Pick<Naming, 'homes'>,
): Title | undefined {
  return title && { ...title, name: homeOf(chapter, naming)?.series ?? title.name };
}

/** Undefined for a file that is gone or damaged, or that was saved without metadata: its name stays. */
async function withNewName(
  change: UnnamedWrite,
  naming: Naming,
): Promise<{ readonly change: UnnamedWrite; readonly newName: ReplacedName } | undefined> {
  const { chapter } = change.release;
  const old = replacedFile(change);
  const title = findTitle(naming.titles, chapter);
  if (!naming.metadata || !title || !old || !chapter) return undefined;
  const { readChapterFile } = await import('../../library/chapter-file.js');
  const content = await readChapterFile(old.file).catch(() => undefined);
  if (content?.comicInfo === undefined) return undefined;
  const isMoved = naming.movedIds.has(old.chapterId);
  const home = homeOf(chapter, naming);
  const titleName = isMoved ? (home?.series ?? title.name) : undefined;
  const named = readNamedFile(content, { chapter, title }, titleName);
  const { path, recorded = recordedBefore(named) } = isMoved
    ? movedFile(old.file, named, naming, home)
    : replacedPath(old.file, named, naming);
  const copies = naming.library.copiesOf(named.savedId).filter((copy) => !copy.isBound);
  const others = copies.map((copy) => copy.file).filter((other) => other !== old.file);
  const oldName = path === old.file ? await findOldName(path, others, named, naming) : undefined;
  const release = { ...change.release, chapter: named.chapter };
  const renamed = oldName === undefined ? change : withOldName(change, oldName);
  const newName = { path, recorded, series: named.title.name };
  return { change: { ...renamed, release }, newName };
}

/** The record of an older file says nothing: its place does. */
function recordedBefore({ recorded }: NamedFile): NamedFile['recorded'] | undefined {
  return recorded.path === undefined ? undefined : recorded;
}

function recordedName({ path, folderTemplate, fileTemplate }: RecordedName = {}): RecordedName {
  return { path, folderTemplate, fileTemplate };
}

/** A chapter file, with the chapter that it has or gets. */
export interface NamedChapterFile extends NamedFile {
  readonly chapter: Chapter;
  readonly title: Title;
}

/** The title keeps the name that it has in the file, unless a new one is given, and the chapter an inferred volume. */
export function readNamedFile(
  {
    metadata,
    record,
    identity,
  }: Pick<Awaited<ReturnType<typeof readChapterFile>>, 'metadata' | 'record' | 'identity'>,
  { chapter, title }: Pick<NamedChapterFile, 'chapter' | 'title'>,
  newTitleName: string | undefined,
): NamedChapterFile {
  const written = record?.metadata;
  const series = newTitleName ?? (written ?? metadata).series ?? title.name;
  const named = {
    chapter: withInferredVolume(chapter, record?.inferredVolume),
    // One object for thousands of files.
    title: title.name === series ? title : { ...title, name: series },
  };
  return {
    ...named,
    values: nameValues(named.chapter, named.title),
    metadata,
    written,
    savedId: identity?.chapterId ?? chapter.id,
    recorded: recordedName(record),
  };
}

function withOldName(change: UnnamedWrite, file: string): UnnamedWrite {
  switch (change.kind) {
    case 'save':
      return change;
    case 'replace':
      return { ...change, file: { ...change.file, file } };
    case 'extract':
      return { ...change, removes: change.removes.map((old) => ({ ...old, file })) };
  }
}

function replacedPath(
  file: string,
  named: NamedChapterFile,
  { output, nameTemplates }: Naming,
): Pick<ReplacedName, 'path' | 'recorded'> {
  const { to, recorded } = newPath(
    file,
    named,
    nameOptions(named, nameTemplates, 'folders', undefined),
  );
  if (to === resolve(file)) return { path: file, recorded };
  const path = relative(resolve(output), to);
  // The output folder may be one that the template would name otherwise.
  const isOutside = path.startsWith('..');
  return { path: isOutside ? join(dirname(file), basename(to)) : join(output, path), recorded };
}

function movedFile(
  file: string,
  named: NamedChapterFile,
  { output, nameTemplates }: Naming,
  home: TitleHome | undefined,
): Pick<ReplacedName, 'path' | 'recorded'> {
  const { to, recorded } = movedPath(file, named, { output, nameChapter: nameTemplates }, home);
  return { path: to, recorded };
}

/** A run that was killed while it renamed the file left it under both names. */
async function findOldName(
  file: string,
  others: readonly string[],
  named: NamedChapterFile,
  naming: Naming,
): Promise<string | undefined> {
  const state = others.length > 0 ? await readFileState(file) : undefined;
  for (const other of state ? others : []) {
    const isOldName = replacedPath(other, named, naming).path === file;
    if (state && isOldName && (await isUnchanged(other, state))) return other;
  }
  return undefined;
}

/** What the search for the folders of titles needs. */
type HomeDeps = Pick<DownloadSession, 'client' | 'signal'> & {
  /** The id of the title that covers and series files in a folder are of, where no chapter says it. */
  readonly extrasOwner?: (folder: string) => Promise<string | undefined>;
  readonly request: Pick<DownloadRequest, 'output' | 'hasDefaultName'>;
};

interface TitleToPlace {
  readonly title: Title;
  /** To be saved: at least one. */
  readonly chapters: readonly NamedChapter[];
}

/**
 * The homes of the titles of these chapters, by the ids of the titles. Those that are new, and whose name no other one has
 * there, are left out.
 */
export async function findTitleHomes(
  chapters: readonly NamedChapter[],
  { titles, series }: Pick<Resolution, 'titles' | 'series'>,
  library: LibraryIndex,
  nameChapter: NameTemplate,
  session: HomeDeps,
): Promise<ReadonlyMap<string, TitleHome>> {
  const byTitle = groupBy(chapters, (chapter) => titleIdOf(chapter) ?? '');
  const toPlace = [...byTitle.values()].flatMap((ofTitle): TitleToPlace[] => {
    const title = findTitle(titles, ofTitle[0]);
    return title === undefined || title.name === '' ? [] : [{ title, chapters: ofTitle }];
  });
  return new HomeFinder(library, series, nameChapter, session).find(toPlace);
}

interface KnownArchive extends KnownChapter {
  readonly chapterId: string;
  readonly titleId: string | undefined;
}

/** `retag` leaves the content of a PDF under the old name of its title: the new one is in its path. */
function withNameInPath(known: KnownArchive, title: Title): KnownArchive {
  const { isBound, path, metadata } = known;
  const container = containerByExtension(path);
  const isFixed = container !== undefined && !CONTAINERS[container].isRewritable;
  if (!isBound || !isFixed || metadata.series === undefined) return known;
  const series = seriesInPath(path, metadata.series, title) ?? metadata.series;
  return { ...known, metadata: { ...metadata, series } };
}

class HomeFinder {
  /** All known releases of these titles. */
  readonly #releases = new Map<string, Chapter>();
  readonly #owners: ArchiveOwners;
  /** The ids of the titles of this run that have a name in a folder. */
  readonly #named = new Map<string, string>();
  readonly #targetIds = new Set<string>();
  readonly #pathKeys = new Map<string, string>();

  constructor(
    private readonly library: LibraryIndex,
    series: Resolution['series'],
    private readonly nameChapter: NameTemplate,
    private readonly session: HomeDeps,
  ) {
    this.#owners = new ArchiveOwners(library);
    for (const { titleId, chapters } of series)
      for (const chapter of chapters) {
        this.#releases.set(chapter.id, chapter);
        this.#owners.add(chapter.id, titleId);
        this.#targetIds.add(titleId);
      }
  }

  async find(titles: readonly TitleToPlace[]): Promise<ReadonlyMap<string, TitleHome>> {
    const homes = new Map<string, TitleHome>();
    for (const each of titles) {
      const home = await this.#existingHome(each.title);
      if (home) homes.set(each.title.id, home);
    }
    for (const each of titles) {
      const known = homes.get(each.title.id);
      const isTaken = (name: string) => this.#isTaken(each, name);
      const series = known?.series ?? (await freeName(each.title, isTaken));
      const home = known ?? newHome(series, templateFor(this.nameChapter, each.title));
      this.#named.set(this.#nameKey(each, home), each.title.id);
      if (series !== each.title.name) homes.set(each.title.id, home);
    }
    return homes;
  }

  async #existingHome(title: Title): Promise<TitleHome | undefined> {
    let own = this.#owners.archivesOf(title.id);
    if (own.length === 0) {
      await this.#findOwners(title);
      own = this.#owners.archivesOf(title.id);
    }
    const latest = sampleFolders(own, this.#releases, MAX_READ_OF_TITLE);
    const known = await this.#read(latest);
    // One chapter alone does not show that numbers begin again in its title; the name of another one does.
    const numbersRestart =
      title.numbersRestart ||
      known.some(({ recorded }) => isVolumeFirst(this.nameChapter, recorded.fileTemplate));
    return titleHome(
      known.map((each) => withNameInPath(each, title)),
      {
        template: templateFor(this.nameChapter, { numbersRestart }),
        hasDefaultName: this.session.request.hasDefaultName,
        numbersRestart: title.numbersRestart,
        valuesOf: (known, series) => this.#valuesOf(known, { ...title, name: series }),
      },
    );
  }

  /**
   * Archives that do not name their title, or one that may have been merged into this one: they have one of its names,
   * and the service says of which title they are.
   */
  async #findOwners({ id, names }: Title): Promise<void> {
    const keys = names.map(folderKey).filter((key) => key !== '');
    // All releases of a target are known, also those of titles that were merged into it.
    const isTarget = this.#targetIds.has(id);
    const archives = isTarget ? this.#owners.unowned : this.library.archives;
    const likely = archives.filter((archive) => {
      const path = this.#pathKey(archive);
      return keys.some((key) => path.includes(key));
    });
    const sample = sampleFolders(likely, this.#releases, MAX_READ_OF_LIKELY);
    const read = await this.#read(sample);
    const named = read.filter(({ metadata }) => keys.includes(folderKey(metadata.series ?? '')));
    if (named.length === 0) return;
    const listed = await this.#fetch(named.map(({ chapterId }) => chapterId));
    // What neither the service nor its archive has a title for was this one's.
    for (const { chapterId, titleId } of named)
      this.#owners.add(chapterId, listed.get(chapterId)?.titleId ?? titleId ?? id);
  }

  async #fetch(ids: readonly string[]): Promise<ReadonlyMap<string, Chapter>> {
    const { client, signal } = this.session;
    return fetchChapters(client, ids, { signal }).catch((error: unknown) => {
      if (!isTolerable(error)) throw error;
      return new Map<string, Chapter>();
    });
  }

  /** What the template of now names a chapter after, by what its archive says. */
  #valuesOf({ chapterId, metadata }: KnownArchive, title: Title): NameValues {
    const { volume, number, title: name, translators = [], language } = metadata;
    const release = this.#releases.get(chapterId);
    const chapter = { language: '', groups: [], ...release, id: chapterId, titleId: title.id };
    return {
      ...nameValues(chapter, title),
      volume,
      chapter: number,
      title: name,
      group: translators.join(' + '),
      language: release?.language ?? language?.toLowerCase(),
    };
  }

  /** One for each chapter, also of those in one file. */
  async #read(archives: readonly FoundChapter[]): Promise<readonly KnownArchive[]> {
    const ids = new Set(archives.map(({ chapterId }) => chapterId));
    const files = new Map(archives.map(({ file, isBound }) => [file, isBound]));
    const found: KnownArchive[] = [];
    for (const [file, isBound] of files) {
      this.session.signal.throwIfAborted();
      const path = this.#below(file);
      for (const { chapterId, titleId, record, metadata } of await readFileChapters(file))
        if (chapterId !== undefined && ids.has(chapterId)) {
          const recorded = isBound ? {} : recordedName(record);
          found.push({ chapterId, titleId, recorded, metadata, path, isBound });
        }
    }
    return found;
  }

  /** Whether another title has the name in the same folder. */
  async #isTaken(each: TitleToPlace, series: string): Promise<boolean> {
    const home = newHome(series, templateFor(this.nameChapter, each.title));
    if (this.#named.has(this.#nameKey(each, home))) return true;
    const isInTitleFolder = this.nameChapter.folderTemplate.includes('{');
    const folder = dirname(join(this.session.request.output, this.#pathOfFirst(each, home)));
    const others = this.library
      .inFolder(folder)
      .filter((archive) => isInTitleFolder || this.#pathKey(archive).includes(folderKey(series)));
    const oneOfEach = new Map(
      others.map((other) => [this.#owners.ownerOf(other) ?? other.file, other]),
    );
    for (const other of oneOfEach.values()) {
      this.session.signal.throwIfAborted();
      for (const { metadata } of await readFileChapters(other.file))
        if (folderKey(metadata.series ?? '') === folderKey(series)) return true;
    }
    const owner = isInTitleFolder ? await this.session.extrasOwner?.(folder) : undefined;
    return owner !== undefined && owner !== each.title.id;
  }

  /** Identifies a name in a folder. */
  #nameKey(each: TitleToPlace, home: TitleHome): string {
    const path = this.#pathOfFirst(each, home);
    return `${pathCollisionKey(dirname(path))}\n${folderKey(home.series)}`;
  }

  /** The path of the title's first chapter below the output folder. */
  #pathOfFirst({ title, chapters: [first] }: TitleToPlace, { series, nameOf }: TitleHome): string {
    const named = { ...title, name: series };
    return first ? nameOf(nameValues(first, named)).path : '';
  }

  /** Computed once: each title is compared with the paths of all archives. */
  #pathKey({ file }: FoundChapter): string {
    const known = this.#pathKeys.get(file);
    if (known !== undefined) return known;
    const key = pathCollisionKey(this.#below(file));
    this.#pathKeys.set(file, key);
    return key;
  }

  #below(file: string): string {
    return pathBelow(this.session.request.output, file);
  }
}

/** Which titles the archives of a library belong to: they name it, or it is known from the releases of a title. */
class ArchiveOwners {
  /** The titles of chapters by what the service lists, which counts more than what archives say. */
  readonly #titles = new Map<string, string>();
  readonly #chapters = new Map<string, string[]>();

  constructor(private readonly library: LibraryIndex) {}

  add(chapterId: string, titleId: string): void {
    this.#titles.set(chapterId, titleId);
    const chapters = this.#chapters.get(titleId);
    if (chapters) chapters.push(chapterId);
    else this.#chapters.set(titleId, [chapterId]);
  }

  ownerOf({ chapterId, titleId }: FoundChapter): string | undefined {
    return this.#titles.get(chapterId) ?? titleId;
  }

  /** Sorted by path. */
  archivesOf(titleId: string): readonly FoundChapter[] {
    const listed = (this.#chapters.get(titleId) ?? []).flatMap((id) => this.library.copiesOf(id));
    const archives = new Set([...listed, ...this.library.ofTitle(titleId)]);
    return [...archives]
      .filter((archive) => this.ownerOf(archive) === titleId)
      .sort((a, b) => (a.file < b.file ? -1 : 1));
  }

  /** The archives of which nothing says to which title they belong. */
  get unowned(): readonly FoundChapter[] {
    return this.library.withoutTitle.filter((archive) => this.ownerOf(archive) === undefined);
  }
}
