/**
 * Random templates, corrections on MangaDex and renames by the owner: a library that is brought up to date has the names
 * of one that is loaded anew, but for those that its owner gave, and is left alone the next time.
 */
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  createLibrary,
  editChapter,
  editTitle,
  reuploadChapter,
  uuidOf,
  type LibraryChapter,
} from '../../../src/practice-server/library/library.js';
import { readIdentity } from '../../../src/library/file.js';
import { sha256 } from '../../support/bind-harness.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { fuzzRuns } from '../../support/long-run.js';
import { retagFolder } from '../../support/retag-harness.js';
import { seeded } from '../../support/seeded.js';
import { chapter, title } from '../../support/title-library.js';

const NUMBERS = ['1', '2', '3'];
const ROUNDS = 3;
const targets = [`title:${uuidOf('one')}`];
const FOLDERS = [
  '',
  '{series}/',
  '{series}/v{volume}/',
  '{language}/{series}/',
  'A/{series} ({year})/{language}/',
];
const FILE_FIELDS = [
  'v{volume:02}',
  '{title}',
  '[{language}]',
  '({date})',
  '[{group}]',
  '{year}',
  '{uploader}',
  '{series}',
] as const;
const LANGUAGES = ['en', 'fr', 'pt-br', 'zh-hk'];
const TITLES = ['Salt', 'Ash/Dust', 'Café', 'Long '.repeat(60), ''];

class RandomLibrary {
  readonly name: string;
  #renames = 0;
  /** The name that the owner gave the folder of the title. */
  #folder = 'Old';
  /** The names that the owner gave, by the chapters' ids. */
  readonly renamed = new Map<string, string>();

  constructor(
    private readonly harness: DownloadHarness,
    private readonly random: () => number,
  ) {
    const fields = FILE_FIELDS.filter(() => this.random() < 0.4);
    // Two chapters never have one name.
    this.name = `${this.#one(FOLDERS)}${['{chapter}', ...fields].join(' ')} {id}`;
  }

  #one<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.random() * items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }

  download = (options: object) =>
    this.harness.download({ targets, language: 'all', name: this.name, ...options });

  /** By the ids of the chapters, below `output`. */
  async paths(files: readonly string[], output: string): Promise<Map<string, string>> {
    const paths = new Map<string, string>();
    for (const file of files) {
      const identity = await readIdentity(file);
      if (typeof identity !== 'object') throw new Error(file);
      paths.set(identity.chapterId, relative(output, file));
    }
    return paths;
  }

  saved = () => this.paths(this.harness.archives(), this.harness.output);

  async loadedAnew(): Promise<Map<string, string>> {
    const output = join(this.harness.folder, 'anew');
    const { events } = await this.download({ output });
    const files = events.flatMap((event) => (event.type === 'chapter-saved' ? [event.file] : []));
    const paths = await this.paths(files, output);
    rmSync(output, { recursive: true });
    return paths;
  }

  correct(): void {
    const { library } = this.harness.service;
    const day = `2024-0${1 + Math.floor(this.random() * 9)}-0${1 + Math.floor(this.random() * 9)}`;
    const at = `2025-01-01T00:00:0${Math.floor(this.random() * 9)}+00:00`;
    for (const number of NUMBERS) {
      const found = library.chapter(chapter('one', number).id);
      if (!found || this.random() < 0.4) continue;
      const edit = this.#one([
        { translatedLanguage: this.#one(LANGUAGES) },
        { readableAt: `${day}T12:00:00+00:00` },
        { volume: this.#one([null, '1', '2']) },
        { title: this.#one(TITLES) },
        { volume: '3', translatedLanguage: this.#one(LANGUAGES) },
      ]);
      const edited: LibraryChapter = editChapter(found, at, edit);
      const seed = chapter('one', String(Math.floor(this.random() * 1_000)));
      library.putChapter(this.random() < 0.4 ? reuploadChapter(edited, at, seed) : edited);
    }
    const found = library.title(uuidOf('one'));
    if (found && this.random() < 0.5)
      library.putTitle(editTitle(found, at, { year: this.#one([null, 2018, 2019]) }));
  }

  /** The owner renames a file. */
  async rename(): Promise<void> {
    if (this.random() < 0.5) return;
    const [id, path] = this.#one([...(await this.saved())]);
    this.#renames += 1;
    const name = `mine ${String(this.#renames)}.cbz`;
    const newPath = [...path.split('/').slice(0, -1), name].join('/');
    renameSync(join(this.harness.output, path), join(this.harness.output, newPath));
    this.renamed.set(id, newPath);
  }

  /** The owner renames the folder of the title. */
  moveFolder(): void {
    if (!this.name.startsWith('{series}/') || this.random() < 0.7) return;
    const from = this.#folder;
    this.#folder = `Mine ${String(this.#renames)}`;
    renameSync(join(this.harness.output, from), join(this.harness.output, this.#folder));
    for (const [id, path] of this.renamed)
      this.renamed.set(id, path.replace(`${from}/`, `${this.#folder}/`));
  }

  async expected(): Promise<Map<string, string>> {
    const given = [...(await this.loadedAnew())].map(
      ([id, path]) => [id, path.replace(/^Old\//, `${this.#folder}/`)] as const,
    );
    return new Map([...given, ...this.renamed]);
  }

  /** `--update` leaves the title where it is: `retag` comes after it. */
  async bringUpToDate(withPages: boolean): Promise<string> {
    if (withPages) await this.download({ update: true });
    return (await retagFolder(this.harness, this.harness.output, '--name', this.name)).stderr;
  }

  digests = () => this.harness.archives().map((file) => [file, sha256(readFileSync(file))]);
}

const seeds = Array.from({ length: fuzzRuns(30) }, (_, index) => index + 1);

test.each(seeds)('seed %i', async (seed) => {
  const chapters = NUMBERS.map((number) => chapter('one', number));
  const titles = [title('one', 'Old', { year: 2018 })];
  await DownloadHarness.use({ library: createLibrary({ titles, chapters }) }, async (harness) => {
    const random = seeded(seed);
    const library = new RandomLibrary(harness, random);
    await library.download({});
    for (let round = 1; round <= ROUNDS; round += 1) {
      await library.rename();
      library.moveFolder();
      library.correct();
      const withPages = random() < 0.5;
      await library.bringUpToDate(withPages);
      const expected = await library.expected();
      expect([library.name, round, await library.saved()]).toEqual([library.name, round, expected]);
      const before = library.digests();
      expect(await library.bringUpToDate(withPages)).toContain('0 changed, 3 unchanged');
      expect(library.digests()).toEqual(before);
    }
  });
});
