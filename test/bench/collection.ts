/** What each command costs in a collection of 1,250, 5,000 and 20,000 files: whole processes of the built program. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  FILES_PER_TITLE,
  linkTitles,
  PAGES_PER_FILE,
  titleId,
  writeCollection,
} from './collection-library.js';
import { startCollectionService, type MeasuredRun } from './collection-process.js';
import { record, type Measurement } from './records.js';
import { rounded } from './statistics.js';

/** Once, four times, sixteen times. */
const SIZES = [1_250, 5_000, 20_000];

type Folders = Readonly<Record<'comics' | 'foreign' | 'home' | 'subscriptions' | 'page', string>>;

/** In this order: each command has the state that the earlier ones left. */
const COMMANDS: Readonly<Record<string, (folders: Folders) => readonly string[]>> = {
  verify: ({ comics }) => ['verify', comics],
  'verify --since-last': ({ comics }) => ['verify', comics, '--since-last'],
  overview: ({ comics }) => ['overview', comics],
  'overview, again': ({ comics }) => ['overview', comics],
  'overview --html': ({ comics, page }) => ['overview', comics, '--html', page],
  'retag --dry-run': ({ comics }) => ['retag', comics, '--dry-run'],
  'retag --dry-run, again': ({ comics }) => ['retag', comics, '--dry-run'],
  'bind --dry-run': ({ comics }) => ['bind', comics, '--dry-run'],
  'bind --dry-run, again': ({ comics }) => ['bind', comics, '--dry-run'],
  'download --dry-run of a title': ({ comics }) => [
    ...['download', `title:${titleId(0)}`, '--language', 'en', '--output', comics, '--dry-run'],
  ],
  'sync, the first one': ({ subscriptions }) => ['sync', '--file', subscriptions],
  'sync, nothing new': ({ subscriptions }) => ['sync', '--file', subscriptions],
  adopt: ({ foreign }) => ['adopt', foreign],
  'adopt --apply': ({ foreign }) => ['adopt', foreign, '--apply'],
  'adopt --undo': ({ foreign }) => ['adopt', foreign, '--undo'],
};

export const collection: Measurement = {
  name: 'collection',
  about: 'each command in a collection of 1,250, 5,000 and 20,000 files',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-bench-collection-'));
    const loads: number[] = [];
    try {
      await prepare(folder);
      const figures = new Map<string, MeasuredRun[]>();
      for (const files of SIZES) {
        const service = await startCollectionService(files / FILES_PER_TITLE);
        const folders = foldersOf(folder, files);
        try {
          for (const [name, words] of Object.entries(COMMANDS)) {
            const found = await service.run(words(folders), folders.home);
            process.stderr.write(`${files} ${name}: ${Math.round(found.cpuMs)} ms\n`);
            figures.set(name, [...(figures.get(name) ?? []), found]);
            loads.push(loadavg()[0] ?? 0);
          }
        } finally {
          service.stop();
        }
      }
      report(figures, loads);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function foldersOf(folder: string, files: number): Folders {
  const own = join(folder, String(files));
  return {
    comics: join(own, 'comics'),
    foreign: join(own, 'foreign'),
    home: join(own, 'home'),
    subscriptions: join(own, 'subscriptions.yaml'),
    page: join(own, 'overview.html'),
  };
}

/** The largest collection is written, the others are links to its first titles. */
async function prepare(folder: string): Promise<void> {
  const largest = foldersOf(folder, Math.max(...SIZES));
  await writeCollection(largest, join(folder, 'pages'), Math.max(...SIZES) / FILES_PER_TITLE);
  for (const files of SIZES) {
    const folders = foldersOf(folder, files);
    const titles = files / FILES_PER_TITLE;
    for (const name of ['comics', 'foreign'] as const)
      if (folders[name] !== largest[name]) linkTitles(largest[name], folders[name], titles);
    const series = Array.from(
      { length: titles },
      (_, index) => `  - target: title:${titleId(index)}\n`,
    );
    const defaults = `defaults: { output: ${folders.comics}, language: [en] }\n`;
    writeFileSync(folders.subscriptions, `${defaults}series:\n${series.join('')}`);
  }
}

function report(
  figures: ReadonlyMap<string, readonly MeasuredRun[]>,
  loads: readonly number[],
): void {
  const bySize = (name: string, values: readonly number[]) =>
    Object.fromEntries(values.map((value, index) => [`${name}${SIZES[index] ?? ''}`, value]));
  const rows = [...figures].map(([command, sizes]) => {
    const perFile = sizes.map(({ cpuMs }, index) => cpuMs / (SIZES[index] ?? NaN));
    return {
      command,
      ...bySize(
        'cpuSeconds',
        sizes.map(({ cpuMs }) => rounded(cpuMs / 1_000)),
      ),
      timesPerFile: rounded((perFile.at(-1) ?? NaN) / (perFile[0] ?? NaN)),
      ...bySize(
        'mebibytes',
        sizes.map(({ peakMebibytes }) => Math.round(peakMebibytes)),
      ),
      opened: sizes.map(({ opened }) => opened),
      openedPerFile: rounded((sizes.at(-1)?.opened ?? NaN) / Math.max(...SIZES)),
    };
  });
  const load = `${rounded(Math.min(...loads), 2)} to ${rounded(Math.max(...loads), 2)}`;
  record('collection', {
    what: `whole processes in collections of ${SIZES.join(', ')} files, ${FILES_PER_TITLE} of each title with ${PAGES_PER_FILE} small pages, one run each, at a load of ${load}: processor time with the start of the program, peak memory, and how often archives were opened; timesPerFile compares the time of a file in the largest and the smallest collection`,
    rows,
  });
}
