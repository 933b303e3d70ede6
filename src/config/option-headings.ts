/** The headings of long lists of options in help, in their order. Options that no heading has are below `Options:`. */
import type { CommandName } from './option-definition.js';
import { optionsOf, type OptionName } from './options.js';

type Headings = Readonly<Record<string, readonly OptionName[]>>;

const COMMON: readonly OptionName[] = [
  'language',
  'chapters',
  'group',
  'latest',
  'output',
  'subscribedOutput',
  'quality',
  'fromFile',
  'dryRun',
];
const SELECTION: readonly OptionName[] = [
  'volumes',
  'excludeGroup',
  'excludeUploader',
  'allReleases',
  'waitForGroup',
  'upgrade',
  'keepLatest',
  'keepUnread',
  'fromNow',
  'since',
  'until',
];
const FILES: readonly OptionName[] = [
  'folder',
  'series',
  'titleLanguage',
  'name',
  'cover',
  'chapterFiles',
  'update',
  'force',
  'metadata',
  'lostPages',
  'downloadArchive',
  'newFolder',
];
const BOOKS: readonly OptionName[] = [
  'bind',
  'format',
  'keepChapters',
  'infer',
  'for',
  'deviceOutput',
];
const READERS: readonly OptionName[] = [
  'seriesMetadata',
  'coverName',
  'titleField',
  'localizedSeries',
];
const NETWORK: readonly OptionName[] = [
  'concurrency',
  'limitRate',
  'maxOutage',
  'minFree',
  'reports',
  'captchaResult',
];
const OUTPUT: readonly OptionName[] = ['quiet', 'verbose', 'json', 'print', 'html'];

const OF_A_TITLE: Headings = {
  'Used most:': COMMON,
  'Selection:': SELECTION,
  'Files:': FILES,
  'Books:': BOOKS,
};

const HEADINGS: Partial<Record<CommandName, Headings>> = {
  download: {
    ...OF_A_TITLE,
    'Komga, Kavita, Mihon:': READERS,
    'Network:': NETWORK,
    'Output:': OUTPUT,
    'Afterwards, or with others:': ['markRead', 'exec', 'share'],
  },
  sync: {
    'Used most:': ['every', 'hours', 'only', 'dryRun', 'quiet', 'verbose'],
    'Files:': ['file', 'redownload', 'fromNow', 'newFolder', 'cover', 'html'],
    'Komga, Kavita, Mihon:': READERS,
    'Network:': [...NETWORK, 'share'],
    'Output:': OUTPUT,
  },
  'sync add': OF_A_TITLE,
  'sync import': OF_A_TITLE,
  bind: {
    'Used most:': ['by', 'format', 'device', 'direction', 'output', 'dryRun'],
    'With --for:': ['spread', 'crop', 'gamma'],
    'Files:': ['group', 'infer', 'name', 'bookName', 'bookCover', 'maxSize', 'convert', 'force'],
    'Output:': OUTPUT,
  },
};

/** The options of a command in the order of help, each with its heading; empty: `Options:`. */
export function optionsByHeading(
  command: CommandName,
): readonly (readonly [name: OptionName, heading: string])[] {
  const names = optionsOf(command);
  const headed = Object.entries(HEADINGS[command] ?? {}).flatMap(([heading, wanted]) =>
    wanted.filter((name) => names.includes(name)).map((name) => [name, heading] as const),
  );
  // An option below two headings is shown below the first.
  const headings = new Map(headed.toReversed());
  const ordered = [...new Set([...headed.map(([name]) => name), ...names])];
  return ordered.map((name) => [name, headings.get(name) ?? '']);
}
