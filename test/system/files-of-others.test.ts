/** SECURITY.md: files of other users are refused or skipped, never rewritten, replaced, renamed or removed. */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isOwnFile } from '../../src/core/safe-open.js';
import { editChapter, reuploadChapter } from '../../src/practice-server/library/library.js';
import { readArchive, writeArchive } from '../support/archive.js';
import { describeWith } from '../support/requirements.js';
import { ALICE, IDS, MALLORY, SharedFolder } from '../support/shared-folder.js';
import { chapterId, DAY_MS, syncChapter } from '../support/sync-harness.js';

const [ID = ''] = IDS;
const LATER = '2030-01-01T00:00:00+00:00';

interface Attempt {
  /** What the other user has. */
  readonly prepare: readonly string[];
  /** Makes a reason to change a file. */
  readonly change?: (shared: SharedFolder) => void | Promise<void>;
  readonly words: readonly string[];
  /** What the output says. */
  readonly says: RegExp;
}

const download = ['download', ...IDS];
const book = [...download, '--bind', 'volume'];

const edit = ({ service: { library } }: SharedFolder, title = 'Renamed'): void => {
  for (const chapter of library.chapters())
    library.putChapter(editChapter(chapter, LATER, { title }));
};

const reupload = ({ service: { library } }: SharedFolder): void => {
  const upload = syncChapter('Alpha', '9', Date.now() - DAY_MS, { volume: '1' }, 3);
  for (const chapter of library.chapters())
    library.putChapter(reuploadChapter(chapter, LATER, upload));
};

/** Changes a byte of the first page that is stored in the file. */
async function damage(file: string): Promise<void> {
  const page = (await readArchive(file)).find(({ name }) => /\.(jpg|png)$/.test(name));
  const bytes = readFileSync(file);
  const at = bytes.indexOf(page?.bytes ?? '') + 40;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  retag: {
    prepare: download,
    change: (shared) => {
      edit(shared);
    },
    words: ['retag', 'OUTPUT', '--json'],
    says: /"reason":"other-user"/,
  },
  'retag --rename-titles of a book': {
    prepare: book,
    change: ({ service: { library } }) => {
      for (const title of library.titles())
        library.putTitle({
          ...title,
          attributes: { ...title.attributes, title: { en: 'Omega' }, updatedAt: LATER },
        });
    },
    words: ['retag', 'OUTPUT', '--rename-titles', '--json'],
    says: /belongs to another user/,
  },
  'download --force': {
    prepare: download,
    words: [...download, '--force', '-o', 'OUTPUT'],
    says: /belongs to another user and is kept/,
  },
  'download --update': {
    prepare: download,
    change: reupload,
    words: [...download, '--update', '-o', 'OUTPUT'],
    says: /belongs to another user and is kept/,
  },
  'download --bind, which removes chapter files': {
    prepare: download,
    change: ({ service: { library } }) => {
      library.putChapter(syncChapter('Alpha', '4', Date.now() - DAY_MS, { volume: '1' }));
    },
    words: [...book, chapterId('Alpha', '4'), '-o', 'OUTPUT'],
    // Files of root are read; without those of another user, the volume is not complete.
    says: /1 book saved|Vol\. 1: not bound yet; missing: chapters 1, 2, 3/,
  },
  'download --bind over a book': {
    prepare: book,
    change: reupload,
    words: [...book, '--update', '-o', 'OUTPUT'],
    says: /belongs to another user/,
  },
  'bind --force': {
    prepare: [...book, '--keep-chapters'],
    words: ['bind', 'OUTPUT', '--force', '-o', 'OUTPUT'],
    says: /belongs to another user/,
  },
  'bind --force --format folder': {
    prepare: [...book, '--keep-chapters', '--format', 'folder'],
    change: (shared) => {
      writeFileSync(shared.find(/Ch\.001\/001\./), 'edited');
    },
    words: ['bind', 'OUTPUT', '--force', '--format', 'folder', '-o', 'OUTPUT'],
    says: /another user|was not made by bind/,
  },
  'verify --repair of chapters': {
    prepare: download,
    change: (shared) => damage(shared.find(/Ch\.001/)),
    words: ['verify', 'OUTPUT', '--repair'],
    says: /Not repaired, since it belongs to another user/,
  },
  'verify --repair of a chapter whose end is lost': {
    prepare: download,
    change: async (shared) => {
      await shared.run(ALICE, 'verify', shared.output);
      truncateSync(shared.find(/Ch\.001/), 4_000);
    },
    words: ['verify', 'OUTPUT', '--repair'],
    says: /Not repaired, since it belongs to another user/,
  },
  'download over a chapter whose end is lost': {
    prepare: download,
    change: async (shared) => {
      await shared.run(ALICE, 'verify', shared.output);
      truncateSync(shared.find(/Ch\.001/), 4_000);
    },
    words: [...download, '-o', 'OUTPUT'],
    says: /cannot be read .* and is kept/,
  },
  'verify --repair of a book': {
    prepare: book,
    change: (shared) => damage(shared.find(/Vol\.01/)),
    words: ['verify', 'OUTPUT', '--repair'],
    says: /Not repaired, since it belongs to another user/,
  },
  'adopt --apply': {
    prepare: download,
    change: async (shared) => {
      const web = `<ComicInfo><Web>https://mangadex.org/chapter/${ID}</Web></ComicInfo>`;
      const [page] = await readArchive(shared.find(/Ch\.001/));
      for (const number of [1, 2, 3]) rmSync(shared.find(new RegExp(`Ch\\.00${number}`)));
      const entries = { '001.jpg': page?.bytes ?? '', 'ComicInfo.xml': web };
      await writeArchive(join(shared.output, 'by hand.cbz'), entries);
    },
    words: ['adopt', 'OUTPUT', '--apply'],
    says: /belongs to another user/,
  },
  'adopt --undo': {
    prepare: download,
    change: async (shared) => {
      await ATTEMPTS['adopt --apply']?.change?.(shared);
      const adopted = await shared.run(0, 'adopt', shared.output, '--apply');
      if (adopted.code !== 0) throw new Error(adopted.stdout + adopted.stderr);
    },
    words: ['adopt', 'OUTPUT', '--undo'],
    says: /belongs to another user/,
  },
};

function attemptOf(name: string): Attempt {
  const found = ATTEMPTS[name];
  if (!found) throw new Error(name);
  return found;
}

describeWith('files of other users', { root: true }, () => {
  let shared: SharedFolder;
  beforeEach(async () => {
    shared = await SharedFolder.start();
  });
  afterEach(() => shared.stop());

  /** `owner` has files that `user` would change. */
  async function attempt(name: string, owner: number, user: number): Promise<void> {
    const { prepare, change, words, says } = attemptOf(name);
    const prepared = await shared.run(0, ...prepare, '-o', shared.output);
    expect([prepared.stderr, prepared.code]).toEqual([expect.anything(), 0]);
    await change?.(shared);
    shared.give(owner);
    const before = shared.filesOf(owner);
    expect(before.size).toBeGreaterThan(0);
    const given = words.map((word) => (word === 'OUTPUT' ? shared.output : word));
    const { code, stdout, stderr } = await shared.run(user, ...given);
    const after = shared.filesOf(owner);
    expect(new Map([...before.keys()].map((path) => [path, after.get(path)]))).toEqual(before);
    expect([code === 1, stdout + stderr]).toEqual([false, expect.stringMatching(says)]);
  }

  test.each(Object.keys(ATTEMPTS))('%s leaves those of another user', async (name) => {
    await attempt(name, MALLORY, ALICE);
  });

  test.each([
    'retag',
    'download --force',
    'download --bind, which removes chapter files',
    'bind --force --format folder',
    'verify --repair of a book',
    'adopt --apply',
  ])('%s leaves those of root', async (name) => {
    await attempt(name, 0, ALICE);
  });

  test.each(['retag', 'download --force', 'verify --repair of chapters', 'adopt --apply'])(
    '%s by root leaves those of a user',
    async (name) => {
      await attempt(name, MALLORY, 0);
    },
  );

  test.each([
    // What can be read counts as there.
    ['download', [0o600], [...download, '-o', 'OUTPUT']],
    ['bind', [0o644, 0o600], ['bind', 'OUTPUT', '-o', 'OUTPUT']],
    ['retag', [0o644, 0o600], ['retag', 'OUTPUT']],
    ['adopt', [0o644, 0o600], ['adopt', 'OUTPUT']],
    ['verify --repair', [0o644, 0o600], ['verify', 'OUTPUT', '--repair']],
  ])(
    '%s of files of another user says how to get at them, not to remove them',
    async (_, modes, words) => {
      expect((await shared.run(0, ...download, '-o', shared.output)).code).toBe(0);
      await damage(shared.find(/Ch\.001/));
      shared.give(MALLORY);
      for (const mode of modes) {
        chmodSync(shared.find(/Ch\.001/), mode);
        const given = words.map((word) => (word === 'OUTPUT' ? shared.output : word));
        const { stdout, stderr } = await shared.run(ALICE, ...given);
        expect(stdout + stderr).not.toMatch(/hint: .*[Rr]emove/);
        expect(stdout + stderr).toMatch(
          /hint: (Run tankobon as that user|Check (its|the) permissions)/,
        );
      }
    },
  );

  test('a file and a folder that may not be read make a check incomplete, and are not damaged', async () => {
    expect((await shared.run(0, ...download, '-o', shared.output)).code).toBe(0);
    for (const name of ['private', 'lost+found'])
      mkdirSync(join(shared.output, name), { mode: 0o700 });
    const file = shared.find(/Ch\.001/);
    chmodSync(file, 0o600);
    for (const option of [[], ['--repair']]) {
      const { code, stderr } = await shared.run(ALICE, 'verify', shared.output, ...option);
      expect([code, stderr]).toEqual([
        3,
        `warning: Not checked (permission denied): ${join(shared.output, 'private')}\n` +
          `warning: Not checked (permission denied): ${file}\n` +
          '2 files checked, 0 damaged, 1 file not checked, 1 folder not checked\n' +
          'hint: Check the permissions of what was not checked, and the disk, then run the same command again.\n',
      ]);
    }
    expect(shared.find(/Ch\.001/)).toBe(file);
  });

  test('after a program gave up the rights of root, files of root are those of another user', () => {
    const file = join(shared.output, '1.cbz');
    writeFileSync(file, '');
    const state = statSync(file);
    process.seteuid?.(ALICE);
    try {
      expect(isOwnFile(file, state)).toBe(false);
    } finally {
      process.seteuid?.(0);
    }
  });

  test('adopt --undo names a file that it cannot read as one', async () => {
    const file = join(shared.output, '1.cbz');
    await writeArchive(file, { '1.jpg': 'a page' });
    chmodSync(file, 0o600);
    const { code, stderr } = await shared.run(ALICE, 'adopt', '--undo', shared.output);
    expect([code, stderr]).toEqual([
      3,
      `error: Cannot read the chapter (permission denied): ${file}\n` +
        '0 files restored, 1 failed\n' +
        'hint: Check its permissions.\n',
    ]);
  });

  test('what is changed for their own user is changed', async () => {
    for (const name of ['retag', 'download --force', 'verify --repair of chapters']) {
      const { change, words } = attemptOf(name);
      expect((await shared.run(0, ...download, '-o', shared.output)).code).toBe(0);
      await change?.(shared);
      shared.give(ALICE);
      const before = shared.filesOf(ALICE);
      const given = words.map((word) => (word === 'OUTPUT' ? shared.output : word));
      expect((await shared.run(ALICE, ...given)).code).toBe(0);
      expect(shared.filesOf(ALICE)).not.toEqual(before);
    }
  });

  const GROUP = 64_010;
  test('a rewritten file keeps its group and mode, and a new one gets the group of a setgid folder', async () => {
    chownSync(shared.output, 0, GROUP);
    chmodSync(shared.output, 0o2777);
    expect((await shared.run(ALICE, ...download, '-o', shared.output)).code).toBe(0);
    expect(statSync(shared.find(/Ch\.001/)).gid).toBe(GROUP);
    for (const [uid, expected] of [
      [0, [0, GROUP, 0o640]],
      // Alice is not a member of the group: the file may not get it, and no user gains a right to the file.
      [ALICE, [ALICE, ALICE, 0o600]],
    ] as const) {
      shared.give(uid);
      const file = shared.find(/Ch\.001/);
      chmodSync(dirname(file), 0o777);
      chownSync(file, uid, GROUP);
      chmodSync(file, 0o640);
      edit(shared, `Renamed for ${uid}`);
      expect((await shared.run(uid, 'retag', shared.output)).code).toBe(0);
      const { uid: owner, gid, mode } = statSync(shared.find(/Ch\.001/));
      expect([owner, gid, mode & 0o7777]).toEqual(expected);
    }
  });

  test('temporary files that another user left stay; those of this user go', async () => {
    expect((await shared.run(0, ...download, '-o', shared.output)).code).toBe(0);
    shared.give(ALICE);
    const name = (letter: string) => `.${letter}.cbz.00000000-1-${'0'.repeat(12)}.tmp`;
    const folder = join(shared.find(/Ch\.001/), '..');
    writeFileSync(join(folder, name('a')), '');
    shared.give(ALICE);
    writeFileSync(join(folder, name('b')), '');
    const old = new Date(Date.now() - 10 * DAY_MS);
    for (const letter of ['a', 'b']) utimesSync(join(folder, name(letter)), old, old);
    expect((await shared.run(ALICE, 'retag', shared.output)).code).toBe(0);
    expect([...shared.filesOf(ALICE).keys()].filter((path) => path.endsWith('.tmp'))).toEqual([]);
    expect([...shared.filesOf(0).keys()].filter((path) => path.endsWith('.tmp'))).toHaveLength(1);
  });
});
