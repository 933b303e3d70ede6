/** The modes of the files that a run makes, under umasks that give everything and nothing. */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PRACTICE_ACCOUNT, PRACTICE_CLIENT } from '../../../src/practice-server/accounts.js';
import { EXAMPLE_TITLES, generateChapter } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { virtualClock } from '../../support/virtual-clock.js';
import { tankobonHere } from '../../support/in-process.js';
import { posixDescribe } from '../../support/platform.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0081';
const PAGES = 3;
/** The attempts at a page that fails wait for each other. */
const clock = virtualClock();
let service: PracticeService;
beforeAll(async () => {
  const chapter = generateChapter({ id: ID, pages: PAGES, bytesPerPage: 20_000 });
  service = await startPracticeService({ chapters: [chapter], clock });
});
afterAll(() => service.stop());

/** Every file and folder below `folder` with its mode, as `ls` would write it. */
function modesBelow(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    ['.', ...paths].map((path) => {
      const stats = lstatSync(join(folder, path));
      return [path + (stats.isDirectory() ? '/' : ''), (stats.mode & 0o777).toString(8)];
    }),
  );
}

posixDescribe.each(['000', '077'])('under umask %s', (umask) => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-modes-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(...words: string[]): Promise<number | null> {
    const previous = process.umask(umask);
    try {
      const env = {
        ...service.environment,
        TANKOBON_HOME: join(folder, 'home'),
        TANKOBON_USERNAME: PRACTICE_ACCOUNT.username,
        TANKOBON_PASSWORD: PRACTICE_ACCOUNT.password,
        TANKOBON_CLIENT_ID: PRACTICE_CLIENT.id,
        TANKOBON_CLIENT_SECRET: PRACTICE_CLIENT.secret,
      };
      return (await tankobonHere(words, { env, clock })).code;
    } finally {
      process.umask(previous);
    }
  }
  /** The mode that the umask leaves of `mode`. */
  const left = (mode: number) => (mode & ~Number.parseInt(umask, 8)).toString(8);

  test('settings, state and login are the user’s alone', async () => {
    expect(await run('config', 'set', 'quality', 'data')).toBe(0);
    expect(await run('login', '--insecure-storage')).toBe(0);
    expect(await run('download', ID, '-o', join(folder, 'output'))).toBe(0);
    const subscription = [EXAMPLE_TITLES.starlight, '-o', join(folder, 'output')];
    expect(await run('sync', 'add', ...subscription, '--language', 'en')).toBe(0);
    expect(await run('sync')).toBe(0);
    const modes = modesBelow(join(folder, 'home'));
    expect(Object.keys(modes)).toEqual(
      expect.arrayContaining(['settings.json', 'subscriptions.yaml']),
    );
    expect(Object.keys(modes).some((name) => name.endsWith('download-archive.txt'))).toBe(true);
    expect(Object.keys(modes).some((name) => /^credentials\/.*\.json$/.test(name))).toBe(true);
    const wrong = Object.entries(modes).filter(
      ([name, mode]) => mode !== (name.endsWith('/') ? '700' : '600'),
    );
    expect(wrong).toEqual([]);
  });

  test('archives and their folders are as the umask says', () => {
    const modes = modesBelow(join(folder, 'output'));
    expect(Object.keys(modes).some((name) => name.endsWith('.cbz'))).toBe(true);
    const wrong = Object.entries(modes).filter(
      ([name, mode]) => mode !== left(name.endsWith('/') ? 0o777 : 0o666),
    );
    expect(wrong).toEqual([]);
  });

  test('an unfinished chapter is the user’s alone', async () => {
    service.injectPageFaults({ fault: 'status-500', chapter: ID, page: PAGES, attempts: 'always' });
    const output = join(folder, 'unfinished');
    expect(await run('download', ID, '-o', output)).toBe(3);
    service.clearPageFaults();
    const hidden = Object.entries(modesBelow(output)).filter(([name]) => /^\.[^/]+\/$/.test(name));
    expect(hidden.map(([, mode]) => mode)).toContain('700');
  });
});
