/**
 * Where the file of a chapter goes that the service moved to another title: to the folder of that, with its name. A name
 * that the owner gave the file stays.
 */
import type { LibraryIndex } from '../library/scan.js';
import type { ChapterOfFile } from '../plan/retag.js';
import type { DownloadRequest } from './download-request.js';
import type { DownloadSession } from './download-session.js';
import { newPath } from '../plan/paths.js';
import { findTitleHomes, type NamedChapterFile } from './name-files.js';
import type { FileToRetag } from './retag.js';
import { movedPath, type TitleHome } from './title-folder.js';

type NamingOptions = Pick<DownloadRequest, 'output' | 'nameChapter' | 'hasDefaultName'>;

/**
 * The new place of each moved file, in a folder whose names follow these options. `titleNames`: those of titles that get
 * another name too.
 */
export async function findMovedPlaces(
  files: readonly ChapterOfFile[],
  library: LibraryIndex,
  { folder, ...naming }: Omit<NamingOptions, 'output'> & { readonly folder: string },
  titleNames: ReadonlyMap<string, string> | undefined,
  deps: Pick<DownloadSession, 'client' | 'signal'>,
): Promise<ReadonlyMap<ChapterOfFile, Pick<FileToRetag, 'titleName' | 'movesTo'>>> {
  const moved = files.filter(({ isMoved }) => isMoved);
  if (moved.length === 0) return new Map();
  const request = { ...naming, output: folder };
  const titles = new Map(moved.map(({ title }) => [title.id, title]));
  // The moved files do not show where the other ones of their new title are.
  const others = library.without(new Set(moved.map(({ archive }) => archive.file)));
  const homes = await findTitleHomes(
    moved.map(({ chapter }) => chapter),
    { titles, series: [] },
    others,
    request.nameChapter(false),
    { request, ...deps },
  );
  return new Map(
    moved.map((each) => {
      const { title, archive } = each;
      const home = homes.get(title.id);
      const titleName = titleNames?.get(title.id) ?? home?.series ?? title.name;
      const isRenamed = home !== undefined && home.series !== titleName;
      const move = isRenamed ? movedAndRenamedPath : movedPath;
      const movesTo = (named: NamedChapterFile) => move(archive.file, named, request, home);
      return [each, { titleName, movesTo }];
    }),
  );
}

/** The title gets another name in the same run: the file goes where the other files of it go. */
function movedAndRenamedPath(
  file: string,
  named: NamedChapterFile,
  request: NamingOptions,
  home: TitleHome | undefined,
): ReturnType<typeof movedPath> {
  const series = home?.series ?? named.title.name;
  const inHome = {
    ...named,
    values: { ...named.values, series },
    title: { ...named.title, name: series },
  };
  const { to, root, recorded = named.recorded } = movedPath(file, inHome, request, home);
  const moved = {
    ...named,
    metadata: { ...named.metadata, series },
    written: named.written && { ...named.written, series },
    recorded,
  };
  const templates = [request.nameChapter(false), request.nameChapter(true)];
  const { numbersRestart } = named.title;
  const kept = { keepsPeople: false, keepsTitleFolders: false };
  const options = { ...kept, numbersRestart, movedIn: request.output };
  return { ...newPath(to, moved, { templates, ...options }), root };
}
