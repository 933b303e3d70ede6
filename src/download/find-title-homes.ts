/**
 * Finds where the chapters of titles are in an output folder. Archives name their title; which title older ones belong
 * to is known from its releases, or from its names and, if these are not its own, from the service.
 */
import { dirname, join, relative, sep } from 'node:path';
import { fetchChapters, type Chapter } from '../service/chapters.js';
import type { Title } from '../service/titles.js';
import { readFileChapters } from '../library/file.js';
import { type FormatFileName } from '../library/names.js';
import { pathCollisionKey } from '../core/path-segment.js';
import type { ExistingArchive, LibraryIndex } from '../library/scan.js';
import type { Resolution } from '../selection/resolve-targets.js';
import { isTolerable } from '../selection/title-loader.js';
import { groupBy } from '../core/group-by.js';
import { ArchiveOwners } from './archive-owners.js';
import { nameValues, titleIdOf } from './comic-metadata.js';
import type { DownloadRequest } from './download-request.js';
import type { DownloadSession } from './download-session.js';
import { MAX_READ_OF_LIKELY, MAX_READ_OF_TITLE, sampleFolders } from './sample-folders.js';
import {
  nameCandidates,
  nameKey,
  titleHome,
  type KnownChapter,
  type TitleHome,
} from './title-home.js';

type HomeDeps = Pick<DownloadSession, 'client' | 'signal'> & {
  readonly request: Pick<DownloadRequest, 'output' | 'folderTemplate' | 'hasDefaultName'>;
};

interface TitleToPlace {
  readonly title: Title;
  /** To be saved: at least one. */
  readonly chapters: readonly Chapter[];
}

/**
 * The homes of the titles of these chapters, by the ids of the titles. Those that are new, and whose name no other one has
 * there, are left out.
 */
export async function findTitleHomes(
  chapters: readonly Chapter[],
  { titles, series }: Pick<Resolution, 'titles' | 'series'>,
  library: LibraryIndex,
  nameChapter: FormatFileName,
  session: HomeDeps,
): Promise<ReadonlyMap<string, TitleHome>> {
  const byTitle = groupBy(chapters, (chapter) => titleIdOf(chapter) ?? '');
  const toPlace = [...byTitle].flatMap(([id, ofTitle]): TitleToPlace[] => {
    const title = titles.get(id) ?? ofTitle[0]?.partialTitle;
    return title === undefined || title.name === '' ? [] : [{ title, chapters: ofTitle }];
  });
  return new HomeFinder(library, series, nameChapter, session).find(toPlace);
}

interface KnownArchive extends KnownChapter {
  readonly chapterId: string;
  readonly titleId: string | undefined;
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
    private readonly nameChapter: FormatFileName,
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
      const series = known?.series ?? (await this.#freeName(each));
      const home = known ?? this.#newHome(series);
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
    return titleHome(await this.#read(latest), {
      ...this.session.request,
      numbersRestart: title.numbersRestart,
      pathOf: (known, series) => this.#pathOf(known, { ...title, name: series }),
    });
  }

  /**
   * Archives that do not name their title, or one that may have been merged into this one: they have one of its names,
   * and the service says of which title they are.
   */
  async #findOwners({ id, names }: Title): Promise<void> {
    const keys = names.map(nameKey).filter((key) => key !== '');
    // All releases of a target are known, also those of titles that were merged into it.
    const isTarget = this.#targetIds.has(id);
    const archives = isTarget ? this.#owners.unowned : this.library.archives;
    const likely = archives.filter((archive) => {
      const path = this.#pathKey(archive);
      return keys.some((key) => path.includes(key));
    });
    const sample = sampleFolders(likely, this.#releases, MAX_READ_OF_LIKELY);
    const read = await this.#read(sample);
    const named = read.filter(({ metadata }) => keys.includes(nameKey(metadata.series ?? '')));
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

  /** The path that the template of now gives a chapter with what its archive says. */
  #pathOf({ chapterId, metadata }: KnownArchive, title: Title): string {
    const { volume, number, title: name, translators = [], language } = metadata;
    const release = this.#releases.get(chapterId);
    const chapter = { ...NO_CHAPTER, ...release, id: chapterId, titleId: title.id };
    return this.nameChapter({
      ...nameValues(chapter, title),
      volume,
      chapter: number,
      title: name,
      group: translators.join(' + '),
      language: release?.language ?? language?.toLowerCase(),
    });
  }

  /** One for each chapter, also of those in one file. */
  async #read(archives: readonly ExistingArchive[]): Promise<readonly KnownArchive[]> {
    const ids = new Set(archives.map(({ chapterId }) => chapterId));
    const files = new Map(archives.map(({ file, isBound = false }) => [file, isBound]));
    const found: KnownArchive[] = [];
    for (const [file, isBound] of files) {
      this.session.signal.throwIfAborted();
      const path = this.#below(file);
      for (const { identity, record, metadata } of await readFileChapters(file))
        if (identity && ids.has(identity.chapterId)) {
          const { chapterId, titleId } = identity;
          const folderTemplate = isBound ? undefined : record?.folderTemplate;
          found.push({ chapterId, titleId, folderTemplate, metadata, path, isBound });
        }
    }
    return found;
  }

  /** The name, with the year or part of the id if another title has it in the same folder. */
  async #freeName(each: TitleToPlace): Promise<string> {
    const names = nameCandidates(each.title);
    for (const series of names.slice(0, -1))
      if (!(await this.#isTaken(each, series))) return series;
    return names.at(-1) ?? each.title.name;
  }

  #newHome(series: string): TitleHome {
    return { series, folderTemplate: this.session.request.folderTemplate, place: (path) => path };
  }

  async #isTaken(each: TitleToPlace, series: string): Promise<boolean> {
    const home = this.#newHome(series);
    if (this.#named.has(this.#nameKey(each, home))) return true;
    const isInTitleFolder = this.session.request.folderTemplate.includes('{');
    const others = this.library
      .inFolder(dirname(join(this.session.request.output, this.#pathOfFirst(each, home))))
      .filter((archive) => isInTitleFolder || this.#pathKey(archive).includes(nameKey(series)));
    const oneOfEach = new Map(
      others.map((other) => [this.#owners.ownerOf(other) ?? other.file, other]),
    );
    for (const other of oneOfEach.values()) {
      this.session.signal.throwIfAborted();
      for (const { metadata } of await readFileChapters(other.file))
        if (nameKey(metadata.series ?? '') === nameKey(series)) return true;
    }
    return false;
  }

  /** Identifies a name in a folder. */
  #nameKey(each: TitleToPlace, home: TitleHome): string {
    const path = this.#pathOfFirst(each, home);
    return `${pathCollisionKey(dirname(path))}\n${nameKey(home.series)}`;
  }

  /** The path of the title's first chapter below the output folder. */
  #pathOfFirst({ title, chapters: [first] }: TitleToPlace, { series, place }: TitleHome): string {
    const named = { ...title, name: series };
    return first ? place(this.nameChapter(nameValues(first, named))) : '';
  }

  /** Computed once: each title is compared with the paths of all archives. */
  #pathKey({ file }: ExistingArchive): string {
    const known = this.#pathKeys.get(file);
    if (known !== undefined) return known;
    const key = pathCollisionKey(this.#below(file));
    this.#pathKeys.set(file, key);
    return key;
  }

  #below(file: string): string {
    return relative(this.session.request.output, file).split(sep).join('/');
  }
}

const NO_CHAPTER = {
  number: undefined,
  volume: undefined,
  title: undefined,
  language: '',
  readableAt: undefined,
  groups: [],
} as const;
