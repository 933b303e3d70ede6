/** What a user would pick instead, each told as plainly as it can be to fetch the same pages. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLAIN_PATH } from './plain-service.js';
import type { Practice } from './practice.js';
import { tankobon, type Command } from './timed-process.js';

export const PAGES_IN_FLIGHT = 6;

export interface Competitor {
  readonly name: string;
  /** What it does, in a few words. */
  readonly does: string;
  /** The command that fetches this chapter into an empty folder. What is prepared here is not measured. */
  command(practice: Practice, chapter: string, folder: string): Promise<Command>;
}

export const TANKOBON: Competitor = {
  name: 'tankobon',
  does: 'chapter to CBZ, proven, reported',
  command: (practice, chapter, folder) =>
    Promise.resolve({
      words: tankobon('download', pageOf(chapter), '--output', join(folder, 'shelf'), '--json'),
      env: { ...practice.environment, TANKOBON_HOME: join(folder, 'home') },
    }),
};

/** The address that a user copies from the browser. */
function pageOf(chapter: string): string {
  return `https://mangadex.org/chapter/${chapter}`;
}

const CURL: Competitor = {
  name: 'curl --parallel',
  does: 'the bare transfers, addresses known',
  async command(practice, chapter, folder) {
    const list = join(folder, 'pages.curl');
    const lines = (await pageAddresses(practice, chapter)).map(
      (url, index) => `url = "${url}"\noutput = "${join(folder, `${index + 1}.png`)}"\n`,
    );
    writeFileSync(list, lines.join(''));
    const many = ['--parallel', '--parallel-max', String(PAGES_IN_FLIGHT)];
    return { words: ['curl', '--http1.1', ...many, '--silent', '--fail', '--config', list] };
  },
};

const ARIA2: Competitor = {
  name: 'aria2c',
  does: 'the bare transfers, addresses known',
  async command(practice, chapter, folder) {
    const list = join(folder, 'pages.aria2');
    const lines = (await pageAddresses(practice, chapter)).map(
      (url, index) => `${url}\n  out=${index + 1}.png\n`,
    );
    writeFileSync(list, lines.join(''));
    const many = ['-j', String(PAGES_IN_FLIGHT), '-x', '1', '-s', '1', '--file-allocation=none'];
    return {
      words: ['aria2c', '--no-conf', '--quiet', ...many, '--dir', folder, '--input-file', list],
    };
  },
};

const GALLERY_DL: Competitor = {
  name: 'gallery-dl',
  does: 'chapter to CBZ by its zip step',
  command(practice, chapter, folder) {
    const settings = join(folder, 'gallery-dl.json');
    const mangadex = { 'api-server': `${practice.apiUrl}${PLAIN_PATH}` };
    writeFileSync(
      settings,
      JSON.stringify({
        extractor: {
          'base-directory': join(folder, 'shelf'),
          mangadex,
          postprocessors: [{ name: 'zip', extension: 'cbz' }],
        },
        cache: { file: null },
      }),
    );
    const address = `https://mangadex.org/chapter/${chapter}`;
    return Promise.resolve({
      words: ['gallery-dl', '--quiet', '--config-ignore', '--config', settings, address],
    });
  },
};

export const COMPETITORS: readonly Competitor[] = [CURL, ARIA2, GALLERY_DL];

/** The addresses of a chapter's pages, asked for as a client would, and not over the line. */
async function pageAddresses(practice: Practice, chapter: string): Promise<readonly string[]> {
  const response = await fetch(`${practice.apiUrlNearby}/at-home/server/${chapter}`);
  const answer = (await response.json()) as {
    readonly baseUrl: string;
    readonly chapter: { readonly hash: string; readonly data: readonly string[] };
  };
  const { hash, data } = answer.chapter;
  return data.map((name) => `${answer.baseUrl}/data/${hash}/${name}`);
}
