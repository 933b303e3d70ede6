/** What each command costs in a collection of 1,250, 5,000 and 20,000 files: whole processes of the built program. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  FILES_PER_TITLE,
  linkTitles,
  PAGES_PER_FILE,
  titleId,
  writeCollection,
} from './collection-library.js';
import { record, type Measurement } from './records.js';
import { rounded } from './statistics.js';
import { tankobon, timed } from './timed-process.js';

/** Once, four times, sixteen times. */
const SIZES = [1_250, 5_000, 20_000];
const SPEED = 20;
const HOOK = new URL('fast-clock-hook.js', import.meta.url).href;

type Folders = Readonly<Record<'comics' | 'foreign' | 'home' | 'subscriptions' | 'page', string>>;

interface Figures {
  readonly cpuMs: number;
  readonly peakMebibytes: number;
  /** The number of times that an archive was opened. */
  readonly opened: number;
}

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
      const figures = new Map<string, Figures[]>();
      for (const files of SIZES) {
        const service = await startService(files);
        for (const [name, words] of Object.entries(COMMANDS)) {
          const folders = foldersOf(folder, files);
          const found = await measure(words(folders), folders, service);
          process.stderr.write(`${files} ${name}: ${Math.round(found.cpuMs)} ms\n`);
          figures.set(name, [...(figures.get(name) ?? []), found]);
          loads.push(loadavg()[0] ?? 0);
        }
        service.child.disconnect();
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

interface Service {
  readonly child: ChildProcess;
  readonly environment: Readonly<Record<string, string>>;
}

async function startService(files: number): Promise<Service> {
  const program = fileURLToPath(new URL('collection-service.js', import.meta.url));
  const child = fork(program, [String(files / FILES_PER_TITLE)]);
  const [environment] = (await once(child, 'message')) as [Service['environment']];
  return { child, environment };
}

async function measure(
  words: readonly string[],
  { home }: Folders,
  { environment }: Service,
): Promise<Figures> {
  const opened = join(home, '..', 'opened');
  const { cpuMs, peakMebibytes } = await timed({
    words: tankobon(...words),
    env: {
      ...environment,
      TANKOBON_HOME: home,
      NODE_OPTIONS: `--import=${HOOK}`,
      BENCH_SPEED: String(SPEED),
      BENCH_OPENED: opened,
    },
  });
  return { cpuMs, peakMebibytes, opened: Number(readFileSync(opened, 'utf8')) };
}

function report(figures: ReadonlyMap<string, readonly Figures[]>, loads: readonly number[]): void {
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
