/**
 * Chapter files that real programs changed: what they changed stays byte for byte, whatever is run afterwards, and a second
 * run says nothing.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { editChapter } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { readArchive, readComment } from '../support/archive.js';
import { fileDigest, imageDigests } from '../support/bind-harness.js';
import { tankobonHere } from '../support/in-process.js';
import { describeWith } from '../support/requirements.js';
import { chapterId, DAY_MS, syncChapter, syncLibrary, titleId } from '../support/sync-harness.js';
import { virtualClock, type VirtualClock } from '../support/virtual-clock.js';

const ID = chapterId('Alpha', '1');

const run = (cwd: string, program: string, ...words: readonly string[]): void => {
  execFileSync(program, words, { cwd, stdio: 'pipe' });
};

/** Writes the archive again, from its files in a folder, which `change` may change; without a comment. */
function again(
  pack: (folder: string, target: string) => void,
  change: (folder: string) => void = () => undefined,
) {
  return (file: string): void => {
    const folder = mkdtempSync(join(tmpdir(), 'tankobon-touched-'));
    try {
      run(folder, 'unzip', '-q', file);
      change(folder);
      rmSync(file);
      const target = join(folder, 'new.zip');
      pack(folder, target);
      renameSync(target, file);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

const zipped = (folder: string, target: string) => {
  run(folder, 'zip', '-qr', target, '.');
};
const sevenZipped = (folder: string, target: string) => {
  run(folder, '7z', 'a', '-tzip', target, '.');
};
const tarred = (folder: string, target: string) => {
  run(folder, 'bsdtar', '-c', '--format=zip', '-f', target, ...readdirSync(folder));
};
/** As from the context menu of macOS: names begin with `./`. */
const tarredFolder = (folder: string, target: string) => {
  run(folder, 'bsdtar', '-c', '--format=zip', '-f', target, '.');
};
const PYTHON = `
import sys, zipfile, os
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for name in ["1.png", "2.png", "3.png", "ComicInfo.xml", "META-INF/tankobon.json"]:
        for found in (name, "00" + name):
            if os.path.exists(found): archive.write(found)
`;
const byPython = (folder: string, target: string) => {
  run(folder, 'python3', '-c', PYTHON, target);
};
const withoutPage = (folder: string): void => {
  rmSync(join(folder, '3.png'), { force: true });
  rmSync(join(folder, '003.png'), { force: true });
};

function toWebp(names: readonly string[]) {
  return (folder: string): void => {
    for (const name of names) {
      const page = join(folder, name);
      run(folder, 'cwebp', '-quiet', page, '-o', page.replace('.png', '.webp'));
      rmSync(page);
    }
  };
}

interface Touch {
  readonly touch: (file: string) => void;
  /** What `verify` says; undefined for a file that is whole as it was. */
  readonly message: string | undefined;
}

const MISSING = '1 of 3 saved pages missing';
const CONVERTED = '1 of 3 saved pages missing, 1 other page';

const TOUCHES: Readonly<Record<string, Touch>> = {
  'zip, again': { touch: again(zipped), message: undefined },
  'zip, again and without a page': { touch: again(zipped, withoutPage), message: MISSING },
  'zip, which takes a page out': {
    touch: (file) => {
      run('.', 'zip', '-qd', file, '003.png');
    },
    message: MISSING,
  },
  'zip, which takes the comment out': {
    touch: (file) => {
      execFileSync('zip', ['-z', file], { input: '\n', stdio: 'pipe' });
    },
    message: undefined,
  },
  '7z, again': { touch: again(sevenZipped), message: undefined },
  '7z, which takes a page out': {
    touch: (file) => {
      run('.', '7z', 'd', '-tzip', file, '003.png');
    },
    message: MISSING,
  },
  'bsdtar, again': { touch: again(tarred), message: undefined },
  'bsdtar, without a page': { touch: again(tarred, withoutPage), message: MISSING },
  'bsdtar, the folder': { touch: again(tarredFolder), message: undefined },
  'bsdtar, the folder without a page': {
    touch: again(tarredFolder, withoutPage),
    message: MISSING,
  },
  'Python, again': { touch: again(byPython), message: undefined },
  'Python, without a page': { touch: again(byPython, withoutPage), message: MISSING },
  'cwebp and zip, one page': { touch: again(zipped, toWebp(['003.png'])), message: CONVERTED },
  'cwebp and 7z, one page': { touch: again(sevenZipped, toWebp(['001.png'])), message: CONVERTED },
  'zip and calibre': {
    touch: (file) => {
      again(zipped, withoutPage)(file);
      run('.', 'ebook-meta', file, '--title', 'Mine');
    },
    message: MISSING,
  },
  calibre: {
    touch: (file) => {
      run('.', 'ebook-meta', file, '--title', 'Mine');
    },
    message: undefined,
  },
};

const programs = ['zip', '7z', 'bsdtar', 'python3', 'cwebp', 'ebook-meta', 'unzip'] as const;
describeWith('a chapter file that another program changed', { programs }, () => {
  let folder: string;
  let service: PracticeService;
  let clock: VirtualClock;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tankobon-touched-'));
    const readableMs = Date.now() - DAY_MS;
    const library = syncLibrary(['Alpha'], readableMs);
    library.putChapter(syncChapter('Alpha', '1', readableMs, {}, 3));
    library.removeChapter(chapterId('Alpha', '2'));
    clock = virtualClock();
    service = await startPracticeService({ library, clock });
    mkdirSync(join(folder, 'home'));
    const keys = `target: 'title:${titleId('Alpha')}', output: ${JSON.stringify(manga())}, upgrade: true`;
    const file = join(folder, 'home', 'subscriptions.yaml');
    writeFileSync(file, `series: [{ ${keys} }]\n`, { mode: 0o600 });
  });
  afterEach(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const manga = (): string => join(folder, 'manga');
  const files = (): readonly string[] =>
    readdirSync(manga(), { recursive: true, withFileTypes: true, encoding: 'utf8' })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  const theFile = (): string => {
    const [file = '', ...others] = files();
    expect(others).toEqual([]);
    return file;
  };
  async function tankobon(...words: readonly string[]) {
    const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
    const { code, stdout, stderr } = await tankobonHere(words, { env, clock });
    const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
    const events = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    return { code, events, stderr };
  }
  const verify = (...words: readonly string[]) => tankobon('verify', manga(), '--json', ...words);
  const download = () => ['download', `title:${titleId('Alpha')}`, '-o', manga(), '--json'];
  const contentsOf = async (file: string) => {
    const entries = (await readArchive(file)).filter(({ name }) => !name.endsWith('/'));
    const others = entries.filter(({ name }) => name !== 'META-INF/tankobon.json');
    return new Map(others.map(({ name, bytes }) => [name, bytes.toString('base64')]));
  };

  test.each(Object.entries(TOUCHES))('by %s', async (_, { touch, message }) => {
    expect((await tankobon(...download())).code).toBe(0);
    const file = theFile();
    touch(file);
    const touched = await fileDigest(file);
    const comment = await readComment(file);
    const pages = await imageDigests(file);

    const found = message === undefined ? [] : [{ type: 'file-edited', file, message }];
    for (const words of [[], ['--repair']]) {
      const { code, events } = await verify(...words);
      const summary = { type: 'verify-summary', damaged: 0, edited: found.length, repaired: 0 };
      expect([code, events]).toMatchObject([0, [...found, summary]]);
    }
    for (const words of [
      ['adopt', manga(), '--apply'],
      ['retag', manga()],
      [...download(), '--update'],
      ['sync'],
      ['sync'],
    ]) {
      expect(await tankobon(...words)).toMatchObject({ code: 0 });
      expect([await fileDigest(file), files()]).toEqual([touched, [file]]);
    }

    const chapter = service.library.chapter(ID);
    if (!chapter) throw new Error('no chapter');
    service.library.putChapter(
      editChapter(chapter, '2026-01-01T00:00:00+00:00', { title: 'Salt' }),
    );
    const retagged = await tankobon('retag', manga(), '--json');
    expect([retagged.code, retagged.events[0]]).toMatchObject([0, { changed: ['title'] }]);
    const newFile = theFile();
    expect(basename(newFile)).toContain('Salt');
    expect(await imageDigests(newFile)).toEqual(pages);
    const now = await fileDigest(newFile);
    const second = await tankobon('retag', manga(), '--json');
    expect(second.events).toMatchObject([{ type: 'retag-summary', changed: 0, unchanged: 1 }]);
    expect(await fileDigest(newFile)).toBe(now);
    const isCalibres = comment.includes('ComicBookInfo');
    expect(await readComment(newFile)).toContain(isCalibres ? comment : `chapter=${ID}`);

    const before = await contentsOf(newFile);
    const accepted = await verify('--accept');
    expect(accepted).toMatchObject({ code: 0 });
    expect(await contentsOf(newFile)).toEqual(before);
    for (const words of [[], ['--repair'], ['--accept']])
      expect(await verify(...words)).toMatchObject({
        code: 0,
        events: [{ type: 'verify-summary', damaged: 0, edited: 0 }],
      });
  });

  test('by cwebp in all pages, again by zip: it belongs to that program', async () => {
    await tankobon(...download());
    const file = theFile();
    again(zipped, toWebp(['001.png', '002.png', '003.png']))(file);
    const touched = await fileDigest(file);
    expect(await verify('--repair')).toMatchObject({
      code: 0,
      events: [{ type: 'file-edited' }, {}],
    });
    for (const words of [['retag', manga()], [...download(), '--force'], ['sync']]) {
      expect(await tankobon(...words)).toMatchObject({ code: 0 });
      expect([await fileDigest(file), files()]).toEqual([touched, [file]]);
    }
  });
});
