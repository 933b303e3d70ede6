/** Clients that others wrote, unmodified, from a title to the bytes of its pages at the practice service. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PRACTICE_ACCOUNT, PRACTICE_CLIENT } from '../../src/practice-server/accounts.js';
import { longTitle } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { tankobon } from '../support/command.js';
import { describeWith } from '../support/requirements.js';

const run = promisify(execFile);
/** Whatever is not on loopback goes to a port without a listener. */
const LOOPBACK_ONLY = {
  PATH: process.env['PATH'],
  HTTP_PROXY: 'http://127.0.0.1:1',
  HTTPS_PROXY: 'http://127.0.0.1:1',
  NO_PROXY: '127.0.0.1',
};

let service: PracticeService;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-clients-'));
  service = await startPracticeService({
    library: longTitle({ chapters: 3 }),
    // Neither client keeps to the general limit.
    limits: { general: { requests: 1_000, periodMs: 1_000 } },
  });
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const englishChapters = () =>
  service.library.chapters().filter(({ attributes }) => attributes.translatedLanguage === 'en');

test('mangadex-full-api searches, reads a feed, loads every page, and logs in', async () => {
  const { stdout } = await run(process.execPath, ['test/system/clients/mangadex-full-api.mjs'], {
    env: {
      ...LOOPBACK_ONLY,
      API_URL: service.addresses.apiUrl,
      AUTH_URL: service.addresses.authUrl,
      LOGIN: JSON.stringify({
        ...PRACTICE_ACCOUNT,
        clientId: PRACTICE_CLIENT.id,
        clientSecret: PRACTICE_CLIENT.secret,
      }),
    },
  });
  const [title] = service.library.titles();
  const chapters = englishChapters();
  expect(JSON.parse(stdout)).toEqual({
    manga: title?.id,
    pages: Object.fromEntries(
      chapters.map((chapter) => [
        chapter.id,
        chapter.pages('data').map((page) => digest(page.bytes())),
      ]),
    ),
    looked: {
      author: 'Aoi Minase',
      group: 'Tidewater Scans',
      cover: '1',
      tags: ['Adventure'],
      random: title?.id,
      follows: 0,
      aggregate: ['none'],
      latest: expect.any(String),
    },
    me: PRACTICE_ACCOUNT.username,
    followed: 0,
  });
  expect(service.log.map(({ path }) => path)).toContain('/auth/check');
  expect(service.violations()).toEqual([]);
});

describeWith('gallery-dl', { programs: ['gallery-dl'] }, () => {
  test('gallery-dl loads every page of a title in one language', async () => {
    const settings = join(folder, 'gallery-dl.json');
    const mangadex = { 'api-server': service.addresses.apiUrl, lang: 'en' };
    const output = join(folder, 'pages');
    writeFileSync(
      settings,
      JSON.stringify({
        extractor: { 'base-directory': output, mangadex },
        cache: { file: null },
      }),
    );
    const address = `https://mangadex.org/title/${service.library.titles()[0]?.id ?? ''}`;
    await run('gallery-dl', ['--config-ignore', '--config', settings, address], {
      env: { ...LOOPBACK_ONLY, HOME: folder },
    });
    const files = readdirSync(output, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => digest(readFileSync(join(entry.parentPath, entry.name))));
    const pages = englishChapters().flatMap((chapter) => chapter.pages('data'));
    // It normalises the base URL's escapes, as the practice service writes them in lower case.
    expect(service.log.filter(({ path }) => path.includes('%3D')).length).toBe(files.length);
    expect(files.sort()).toEqual(pages.map((page) => digest(page.bytes())).sort());
    expect(service.violations()).toEqual([]);
  });

  test('sync import reads its archive: what it loaded is not loaded again', async () => {
    const archive = join(folder, 'it’s mine.sqlite3');
    const [loaded] = englishChapters();
    const settings = join(folder, 'gallery-dl.json');
    const mangadex = { 'api-server': service.addresses.apiUrl, lang: 'en', archive };
    const extractor = { 'base-directory': join(folder, 'pages'), mangadex };
    writeFileSync(settings, JSON.stringify({ extractor, cache: { file: null } }));
    await run(
      'gallery-dl',
      ['--config-ignore', '--config', settings, `https://mangadex.org/chapter/${loaded?.id ?? ''}`],
      { env: { ...LOOPBACK_ONLY, HOME: folder } },
    );
    const file = join(folder, 'subscriptions.yaml');
    const title = `title:${service.library.titles()[0]?.id ?? ''}`;
    writeFileSync(
      file,
      `defaults: { output: ${join(folder, 'comics')}, language: [en] }\nseries: [{ target: "${title}" }]\n`,
    );
    const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
    const before = digest(readFileSync(archive));
    const imported = await tankobon(['sync', 'import', archive, '--file', file], { env });
    expect(imported).toMatchObject({ code: 0, stderr: '1 chapter marked as downloaded.\n' });
    expect(digest(readFileSync(archive))).toBe(before);
    const { code, stdout } = await tankobon(['sync', '--file', file, '--json'], { env });
    const saved = stdout.split('"chapter-saved"').length - 1;
    expect([code, saved]).toEqual([0, englishChapters().length - 1]);
    expect(stdout).not.toContain(loaded?.id);
  });
});
