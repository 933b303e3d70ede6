/** A kill at any change of a file, of a bind that replaces a book and removes chapters: no page is lost. */
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArchive } from '../../support/archive.js';
import { bindFolder, sha256 } from '../../support/bind-harness.js';
import { MODULES_URL } from '../../support/build-folders.js';
import { chapterId, testImage, writeChapterFile } from '../../support/chapter-files.js';
import { LONG_RUN_STEP } from '../../support/kill-points.js';
import { IS_LONG_RUN, longRunRows } from '../../support/long-run.js';

const WORKERS = new URL('../../support/workers/', import.meta.url);
/** So that the file systems' own limits, not one slow process, bound the test. */
const PROCESSES = IS_LONG_RUN ? 4 : 1;
const MAX_CHANGES = 500;
/** Each run kills at other changes. */
const KILL_STEP = IS_LONG_RUN ? LONG_RUN_STEP : 30;
/** One of this many kills of a long run is real; the others take the files that one run copied before that change. */
const REAL_KILL_STEP = 4;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-bind-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Resolves with the signal that ended the process, or its exit code, and the number of changes. */
function bindProcess(library: string, format: string, env: Record<string, string>) {
  const job = { modules: MODULES_URL, input: library, output: library, format };
  const words = ['--import', new URL('kill-hook.js', WORKERS).href];
  const worker = fileURLToPath(new URL('binder.js', WORKERS));
  return new Promise<{ readonly ended: string; readonly stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [...words, worker, JSON.stringify(job)],
      { env: { PATH: process.env['PATH'], ...env } },
      (error, _, stderr) => {
        resolve({ ended: error ? (error.signal ?? String(error.code)) : '0', stderr });
      },
    );
  });
}

/** Kills a bind of a copy of `start` at its change `change`. Resolves with the copy, and whether it came to its end before. */
type Kill = (change: number) => Promise<{ readonly root: string; readonly isThrough: boolean }>;

async function killsOf(start: string, format: string): Promise<Kill> {
  const copies = join(folder, 'copies');
  const copyOf = (name: string): string => {
    const root = join(folder, name);
    cpSync(start, root, { recursive: true, preserveTimestamps: true });
    return root;
  };
  if (IS_LONG_RUN) {
    await mkdir(copies);
    const root = copyOf('copied');
    const copying = { KILL_COPIES: copies, KILL_COPIED: root };
    expect(await bindProcess(root, format, copying)).toEqual({ ended: '0', stderr: '' });
  }
  return async (change) => {
    const saved = join(copies, String(change));
    if (change % REAL_KILL_STEP > 0 && existsSync(saved)) {
      const root = join(folder, String(change));
      renameSync(saved, root);
      return { root, isThrough: false };
    }
    const root = copyOf(String(change));
    const { ended, stderr } = await bindProcess(root, format, { KILL_AT: String(change) });
    const isThrough = ended === '0';
    expect([ended, stderr]).toEqual([isThrough ? '0' : 'SIGKILL', '']);
    return { root, isThrough };
  };
}

/** The digests of all images that can be read under their final names. */
async function readableImages(library: string): Promise<Set<string>> {
  const digests = new Set<string>();
  for (const name of readdirSync(library, { recursive: true, encoding: 'utf8' })) {
    if (name.split('/').some((part) => part.startsWith('.'))) continue;
    const file = join(library, name);
    if (/\.(cbz|epub)$/.test(name)) {
      for (const { name: entry, bytes } of await readArchive(file))
        if (entry.endsWith('.jpg')) digests.add(sha256(bytes));
    } else if (name.endsWith('.jpg')) digests.add(sha256(readFileSync(file)));
    else if (name.endsWith('.pdf')) {
      const pdf = readFileSync(file);
      expect(pdf.subarray(-6).toString()).toBe('%%EOF\n');
      for (const image of images) if (pdf.includes(image)) digests.add(sha256(image));
    }
  }
  return digests;
}

let images: Buffer[];

/** Includes the images in files that were replaced and are kept. */
async function allImages(library: string): Promise<Set<string>> {
  const digests = await readableImages(library);
  for (const name of readdirSync(library, { recursive: true, encoding: 'utf8' }))
    if (/^\.tankobon-replaced\/.*\.jpg\.replaced$/.test(name))
      digests.add(sha256(readFileSync(join(library, name))));
    else if (/^\.tankobon-replaced\/.*\.(cbz|epub)\.replaced$/.test(name))
      for (const { name: entry, bytes } of await readArchive(join(library, name)))
        if (entry.endsWith('.jpg')) digests.add(sha256(bytes));
  return digests;
}

/** A library with a book of chapter 1, and the files of the chapters 1 and 2, where the book cannot be read back. */
async function library(format: 'cbz' | 'epub' | 'pdf' | 'folder'): Promise<string> {
  images = await Promise.all([1, 2].map((seed) => testImage('jpeg', seed)));
  const root = join(folder, 'start');
  await mkdir(root);
  const chapter = (number: number) =>
    writeChapterFile(join(root, `Ch ${number}.cbz`), {
      id: chapterId(number),
      version: 1,
      number: String(number),
      volume: '1',
      images: [images[number - 1] ?? Buffer.alloc(0)],
    });
  const first = await chapter(1);
  await bindFolder(folder, { inputs: [first], output: root, format });
  if (format === 'cbz' || format === 'epub') rmSync(first);
  else if (format === 'folder')
    writeFileSync(join(root, 'Lighthouse', 'Vol.01', 'notes.txt'), 'mine');
  await chapter(2);
  return root;
}

test.each(['cbz', 'epub', 'pdf', 'folder'] as const)(
  '%s: killed at any change of a file',
  async (format) => {
    const start = await library(format);
    const expected = new Set(images.map(sha256));
    const first = 1 + Math.floor(Math.random() * KILL_STEP);
    const changes = Array.from({ length: MAX_CHANGES }, (_, index) => first + index * KILL_STEP)[
      Symbol.iterator
    ]();
    let isThrough = false;
    const kill = await killsOf(start, format);
    const killAll = async (): Promise<void> => {
      for (const change of changes) {
        if (isThrough) return;
        const { root, ...killed } = await kill(change);
        isThrough ||= killed.isThrough;
        expect([change, await readableImages(root)]).toEqual([change, expected]);
        const found = readdirSync(root).filter((name) => name.endsWith('.cbz'));
        const again = {
          inputs: [],
          found: found.map((name) => join(root, name)),
          output: root,
          format,
          removeChapters: true,
        };
        expect([change, (await bindFolder(root, again)).errors]).toEqual([change, []]);
        expect([change, await readableImages(root)]).toEqual([change, expected]);
        // A chapter stays beside a PDF or a folder whose other chapters are gone: it cannot be written again.
        const isReadBack = format === 'cbz' || format === 'epub';
        const rest = readdirSync(root).filter((name) => isReadBack || !/^Ch \d\.cbz$/.test(name));
        expect([change, rest]).toEqual([change, ['Lighthouse']]);
        // The lock file of a run that was killed when it had finished stays.
        const names = readdirSync(join(root, 'Lighthouse')).filter(
          (name) => !name.endsWith('.lock'),
        );
        expect([change, names]).toEqual([change, [expect.stringContaining('Vol.01')]]);
        if (format === 'folder')
          expect(readFileSync(join(root, 'Lighthouse', 'Vol.01', 'notes.txt'), 'utf8')).toBe(
            'mine',
          );
        rmSync(root, { recursive: true });
      }
    };
    await Promise.all(Array.from({ length: PROCESSES }, killAll));
    expect(isThrough).toBe(true);
  },
  300_000,
);

test.each(['cbz', 'folder', ...longRunRows('epub' as const)] as const)(
  '%s: killed at any change of a file while the book gets other pages of a chapter, all pages are there',
  async (format) => {
    images = await Promise.all([1, 2].map((seed) => testImage('jpeg', seed)));
    const start = join(folder, 'start');
    await mkdir(start);
    const [old = ''] = await Promise.all(
      images.map((image, index) =>
        writeChapterFile(join(start, `Version ${index + 1}.cbz`), {
          id: chapterId(1),
          version: index + 1,
          number: '1',
          volume: '1',
          images: [image],
        }),
      ),
    );
    await bindFolder(folder, { inputs: [old], output: start, format });
    rmSync(old);
    const expected = new Set(images.map(sha256));
    const first = 1 + Math.floor(Math.random() * KILL_STEP);
    const kill = await killsOf(start, format);
    let isThrough = false;
    for (let change = first; !isThrough && change < MAX_CHANGES; change += KILL_STEP) {
      const { root, ...killed } = await kill(change);
      ({ isThrough } = killed);
      expect([change, await allImages(root)]).toEqual([change, expected]);
      const found = [join(root, 'Version 2.cbz')].filter((file) => existsSync(file));
      const again = { inputs: [], found, output: root, format, removeChapters: true };
      if (found.length > 0)
        expect([change, (await bindFolder(root, again)).errors]).toEqual([change, []]);
      expect([change, await allImages(root)]).toEqual([change, expected]);
      expect([change, await readableImages(root)]).toEqual([change, new Set([[...expected][1]])]);
      rmSync(root, { recursive: true });
    }
    expect(isThrough).toBe(true);
  },
  300_000,
);
