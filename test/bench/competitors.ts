/** What a user would pick instead, each with the simplest command line that fetches the same pages. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLAIN_PATH } from './plain-service.js';
import type { Practice } from './practice.js';
import { baseline, tankobon, type Command } from './timed-process.js';

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
      env: { ...practice.environment, TANKOBON_HOME: practice.homeOf('tankobon') },
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

/** The same work as ours with programs that everyone has: the metadata, the pages, an archive. It verifies nothing. */
export const SCRIPT: Competitor = {
  name: 'curl, jq and zip',
  does: 'metadata, pages and CBZ by a shell script',
  command(practice, chapter, folder) {
    const script = join(folder, 'download.sh');
    writeFileSync(script, DOWNLOAD_SCRIPT);
    return Promise.resolve({
      words: ['bash', script, practice.apiUrl, chapter, String(PAGES_IN_FLIGHT)],
      cwd: folder,
      env: { CURL_CA_BUNDLE: practice.environment['NODE_EXTRA_CA_CERTS'] ?? '' },
    });
  },
};

const DOWNLOAD_SCRIPT = `set -euo pipefail
curl --http1.1 --silent --fail --parallel --parallel-max 2 \\
  "$1/chapter/$2?includes[]=manga&includes[]=scanlation_group" --globoff --output chapter.json \\
  "$1/at-home/server/$2" --output pages.json
jq -r '.baseUrl as $base | .chapter.hash as $hash | .chapter.data | to_entries[] |
  "url = \\"\\($base)/data/\\($hash)/\\(.value)\\"\\noutput = \\"\\(1000 + .key).png\\""' pages.json > pages.curl
curl --http1.1 --silent --fail --parallel --parallel-max "$3" --config pages.curl
zip -0 -q "$2.cbz" ./*.png
`;

/** Another build of tankobon. */
export const BASELINE: Competitor | undefined = baseline
  ? {
      ...TANKOBON,
      name: 'tankobon, baseline',
      async command(practice, chapter, folder) {
        const { words, env } = await TANKOBON.command(practice, chapter, folder);
        const home = { TANKOBON_HOME: practice.homeOf('baseline') };
        return { env: { ...env, ...home }, words: baseline?.(...words.slice(2)) ?? [] };
      },
    }
  : undefined;

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

export const COMPETITORS: readonly Competitor[] = [SCRIPT, CURL, ARIA2, GALLERY_DL];

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
