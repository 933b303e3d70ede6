/** Runs `tankobon retag` in the test's process against a practice service with one title and three chapters. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandTree } from '../../src/cli/program.js';
import type { CommandRunner } from '../../src/cli/command-context.js';
import type { ExitCode } from '../../src/core/exit-codes.js';
import type { RetagEvent } from '../../src/events/retag-events.js';
import type { Library } from '../../src/practice-server/library/library.js';
import { testImage, writeChapterFile } from './chapter-files.js';
import type { DownloadHarness } from './download-harness.js';
import { chapterId, DAY_MS, syncChapter, syncLibrary } from './sync-harness.js';

export const retagFolder = (harness: DownloadHarness, ...words: readonly string[]) =>
  runCommand(harness, 'retag', ...words);

/** Runs any command that needs nothing but its words. */
export async function runCommand(harness: DownloadHarness, ...words: readonly string[]) {
  return harness.command(async (context) => {
    let code: ExitCode = 0;
    const runner: CommandRunner = {
      run: async (action) => {
        code = (await action(context)) ?? 0;
      },
      runBare: () => Promise.reject(new Error('not bare')),
    };
    const tree = commandTree(runner, {}, words[0]);
    await tree.parseAsync(words, { from: 'user' });
    return code;
  });
}

/** The settings file of the harness's owner. */
export function writeSettings(harness: DownloadHarness, settings: object): void {
  const home = join(harness.folder, 'home');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'settings.json'), JSON.stringify(settings));
}

/** The events of `retag --json` with names such as `1.cbz`. */
export async function retagNumbered(harness: DownloadHarness, ...words: readonly string[]) {
  const options = ['--name', '{chapter}.cbz', '--json', ...words];
  const { code, stdout } = await retagFolder(harness, harness.output, ...options);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return { code, events: lines.map((line) => JSON.parse(line) as RetagEvent) };
}

const SERIES = 'Alpha';

/** The service's chapters 1, 2 and 3. */
export function numberedLibrary(): Library {
  const readableMs = Date.now() - 9 * DAY_MS;
  const library = syncLibrary([SERIES], readableMs);
  library.putChapter(syncChapter(SERIES, '3', readableMs));
  return library;
}

export const numberedId = (number: string) => chapterId(SERIES, number);

/** The chapter that has `number` on the service, as it was saved when it had another one, under the name of that. */
export async function saveNumbered(
  output: string,
  number: string,
  savedNumber: string,
  name = `${savedNumber}.cbz`,
): Promise<string> {
  return writeChapterFile(join(output, name), {
    id: numberedId(number),
    version: 1,
    series: SERIES,
    number: savedNumber,
    translators: ['Scans'],
    images: [await testImage('png', Number(number))],
  });
}
