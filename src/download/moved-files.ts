/**
 * Where the file of a chapter goes that the service moved to another title: to the folder of that, with its name. A name
 * that the owner gave the file stays.
 */
import { basename, dirname, join, resolve } from 'node:path';
import type { LibraryIndex } from '../library/scan.js';
import type { ChapterOfFile } from '../plan/retag.js';
import { newName, type KnownNames, type NewName } from './chapter-names.js';
import { nameValues } from './comic-metadata.js';
import type { DownloadRequest } from './download-request.js';
import type { DownloadSession } from './download-session.js';
import { findTitleHomes } from './find-title-homes.js';
import type { FileToRetag } from './retag.js';
import type { TitleHome } from './title-home.js';

type NamingOptions = Pick<
  DownloadRequest,
  'output' | 'nameChapter' | 'folderTemplate' | 'hasDefaultName'
>;

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
      const movesTo = (names: KnownNames) => movedName(archive.file, names, request, home);
      return [each, { titleName, movesTo }];
    }),
  );
}

/** `names`: with the name of the new title. `home`: where its chapters are, if it has some. */
export function movedName(
  file: string,
  names: KnownNames,
  { output, nameChapter, folderTemplate }: NamingOptions,
  home: TitleHome | undefined,
): NewName {
  const templates = [nameChapter(false), nameChapter(true)];
  const named = newName(file, names, { templates, keepsPeople: false, movedIn: output });
  if (!home) {
    const hasNewFolder = dirname(named.to) !== dirname(resolve(file));
    // The output folder itself may be that of the title.
    const isOutput = dirname(resolve(file)) === resolve(output);
    if (hasNewFolder || isOutput || folderTemplate === '') return named;
  }
  const path = nameChapter(false)(nameValues(names.chapter, names.title));
  const folder = dirname(join(resolve(output), home?.place(path) ?? path));
  return { to: join(folder, basename(named.to)), root: resolve(output) };
}
