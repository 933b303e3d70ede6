/**
 * The practice service in a process of its own, so that what it costs is not the client's. Its first argument is
 * a PracticeProcessOptions in JSON; it reports its addresses and answers questions over the channel to its parent.
 */
import { EXAMPLE_TITLES, generateChapter } from '../../src/practice-server/library/library.js';
import type { LibraryChapter } from '../../src/practice-server/records.js';
import { startPracticeService } from '../../src/practice-server/practice-service.js';
import { servePlainly } from './plain-service.js';
import type { PracticeAnswer, PracticeQuestion, PracticeProcessOptions } from './practice.js';

const options = JSON.parse(process.argv[2] ?? '{}') as PracticeProcessOptions;
const chapters = options.chapters.map(({ count = 1, ...made }, row) =>
  Array.from({ length: count }, (_, index) => chapterOf(made, 1_000 * row + index + 1)),
);
const service = await startPracticeService({
  chapters: chapters.flat(),
  nodes: options.advertisedNodes?.length ?? 1,
  ...(options.advertisedNodes && { advertisedNodes: options.advertisedNodes }),
  ...(options.limits && { limits: options.limits }),
});
servePlainly(service, chapters.flat(), options.advertisedNodes?.[0] ?? service.nodes[0] ?? '');

function chapterOf(made: { pages: number; bytesPerPage: number }, seed: number): LibraryChapter {
  const chapter = generateChapter({ ...made, seed, pageNames: 'with-digest' });
  const kept = new Map<string, Buffer>();
  // Drawn once: what a client waits for shall be the line, not our brush.
  const pages = (['data', 'data-saver'] as const).map((quality) =>
    quality === 'data-saver'
      ? []
      : chapter.pages(quality).map((page) => {
          const bytes = (): Buffer => {
            const drawn = kept.get(page.fileName) ?? page.bytes();
            kept.set(page.fileName, drawn);
            return drawn;
          };
          bytes();
          return { ...page, bytes };
        }),
  );
  return {
    ...chapter,
    titleId: EXAMPLE_TITLES.long,
    pages: (quality) => pages[quality === 'data' ? 0 : 1] ?? [],
  };
}

const portOf = (origin: string): number => Number(new URL(origin).port);

function say(answer: PracticeAnswer): void {
  process.send?.(answer);
}

process.on('message', (question: PracticeQuestion) => {
  if (question.ask === 'arrivals') {
    const arrivals = service.log
      .filter(({ atMs }) => atMs >= question.sinceMs)
      .map(({ atMs, host, path, status }) => ({ atMs, host, path, status }));
    say({ arrivals, violations: service.violations().length, reports: service.reports.length });
  } else {
    void service.setReportHost(question.state).then(() => {
      say({ arrivals: [], violations: 0, reports: service.reports.length });
    });
  }
});
process.on('disconnect', () => {
  void service.stop();
});

const { apiUrl, authUrl, networkUrl } = service.addresses;
process.send?.({
  ports: {
    api: portOf(apiUrl),
    auth: portOf(authUrl),
    network: portOf(networkUrl),
    node: portOf(service.nodes[0] ?? ''),
  },
  realm: service.addresses.realm,
  chapters: chapters.map((row) => row.map(({ id }) => id)),
});
