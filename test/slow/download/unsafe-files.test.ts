/** Files that another user puts into the output folder before or during a download. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';
import { posixDescribe, posixTest } from '../../support/platform.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0061';
const PAGES = 4;
const chapter = generateChapter({ id: ID, pages: PAGES, bytesPerPage: 20_000 });

let harness: DownloadHarness;
let victim: string;
let workspace: string;
beforeEach(async () => {
  harness = await DownloadHarness.start({
    chapters: [chapter],
    specificationOnly: true,
  });
  mkdirSync(harness.output, { recursive: true });
  workspace = join(harness.output, `.${ID}.data.tankobon`);
  victim = join(harness.folder, 'victim');
  mkdirSync(victim, { mode: 0o755 });
  writeFileSync(join(victim, '.bashrc'), 'precious');
  writeFileSync(join(victim, '1.part'), 'precious');
});
afterEach(() => harness.stop());

const download = () => harness.download({ targets: [ID] });
const expectVictimUntouched = () => {
  expect(readdirSync(victim).sort()).toEqual(['.bashrc', '1.part']);
  expect(statSync(victim).mode & 0o777).toBe(0o755);
  for (const name of readdirSync(victim)) {
    expect(readFileSync(join(victim, name), 'utf8')).toBe('precious');
  }
};

/** Leaves all pages but the last one in the workspace. */
async function leaveUnfinished(): Promise<void> {
  harness.service.injectPageFaults({
    fault: 'status-500',
    chapter: ID,
    page: PAGES,
    attempts: 'always',
  });
  expect((await download()).code).toBe(3);
  harness.service.clearPageFaults();
}

posixTest('a link in place of the workspace is refused, and its target is unchanged', async () => {
  symlinkSync(victim, workspace);
  const { code, events, stderr } = await download();
  expect(code).toBe(3);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'chapter-failed',
      reason: 'unsafe-path',
      message: `${workspace} is a symbolic link and is not used.`,
    }),
  );
  expect(stderr).toContain('move it away');
  expectVictimUntouched();
});

describe('a chapter whose file lost its end', () => {
  const file = () => join(harness.output, `${ID}.cbz`);
  const names = () => readdirSync(harness.output).sort();
  /** Returns what is left of it. */
  const cut = (bytes: number): Buffer => {
    truncateSync(file(), bytes);
    return readFileSync(file());
  };

  test.each([0, 100, 1_000])(
    'is downloaded again in its place, and the damaged file is kept (%i bytes)',
    async (bytes) => {
      await download();
      const whole = readFileSync(file());
      const damaged = cut(bytes);
      const lines = await harness.dryRun({ targets: [ID] });
      const planned = lines.find(({ type }) => type === 'planned');
      expect(planned?.why).toBe(`its file is damaged, and is kept beside the new one: ${file()}`);
      const { code, stderr } = await download();
      expect([code, stderr]).toEqual([
        0,
        `warning: ${file()} is damaged (its end is lost): its chapter is downloaded again, and the damaged file stays beside it, as .damaged.\nhint: To look for further damage, run: tankobon verify ${harness.output}\n`,
      ]);
      expect(names()).toEqual([`${ID}.cbz`, `${ID}.cbz.damaged`]);
      expect(readFileSync(file())).toEqual(whole);
      expect(readFileSync(`${file()}.damaged`)).toEqual(damaged);
      expect((await download()).stderr).toBe('');
    },
  );

  test('is not touched if no page can be loaded', async () => {
    await download();
    const damaged = cut(1_000);
    await harness.service.stop();
    expect((await download()).code).not.toBe(0);
    expect(names()).toEqual([`${ID}.cbz`]);
    expect(readFileSync(file())).toEqual(damaged);
  });

  test('stays if it is a file of another program by now', async () => {
    await download();
    writeFileSync(file(), 'Rar!\x1a\x07\x01\x00my own scans');
    const { stderr } = await download();
    expect(stderr).toContain(`${file()} cannot be read`);
    expect(names()).toEqual([`${ID} (0d5c1b62).cbz`, `${ID}.cbz`]);
  });
});

posixDescribe('a file at the path of the chapter that cannot be read', () => {
  const kept = () => join(harness.output, `${ID}.cbz`);
  const saved = () => join(harness.output, `${ID} (0d5c1b62).cbz`);
  const rar = 'Rar!\x1a\x07\x01\x00my own scans';

  const notZip = 'it is not a ZIP archive, or is damaged';

  test.each<[string, string, () => void]>([
    [
      'a RAR archive',
      'it is a RAR archive, not a ZIP archive',
      () => {
        writeFileSync(kept(), rar);
      },
    ],
    [
      'a truncated ZIP',
      notZip,
      () => {
        writeFileSync(kept(), 'PK\x03\x04 my own scans');
      },
    ],
    [
      'an empty file',
      'it is empty',
      () => {
        writeFileSync(kept(), '');
      },
    ],
    [
      'a link to a text',
      notZip,
      () => {
        symlinkSync(join(victim, '.bashrc'), kept());
      },
    ],
  ])(
    '%s is kept and reported, also with --force; the chapter is saved once',
    async (_, why, put) => {
      put();
      const before = readFileSync(kept());
      const first = await download();
      expect([first.code, first.stderr]).toEqual([
        0,
        `warning: ${kept()} cannot be read (${why}) and is kept: the chapter is saved as ${ID} (0d5c1b62).cbz.\nhint: If it is a damaged chapter, remove it.\n`,
      ]);
      const bytes = readFileSync(saved());
      const second = await download();
      expect(second.events).toMatchObject([
        { type: 'chapter-skipped', reason: 'already-there', file: saved() },
        { type: 'summary' },
      ]);
      const forced = await harness.download({ targets: [ID], force: true });
      expect(forced.events).toContainEqual(expect.objectContaining({ type: 'chapter-saved' }));
      expect(readFileSync(saved()).equals(bytes)).toBe(true);
      expect(readFileSync(kept()).equals(before)).toBe(true);
      expect(readdirSync(harness.output)).toEqual([`${ID} (0d5c1b62).cbz`, `${ID}.cbz`]);
      expectVictimUntouched();
    },
  );
});

test('files of other programs stay in the workspace, and so does the folder', async () => {
  mkdirSync(join(workspace, 'photos'), { recursive: true });
  writeFileSync(join(workspace, 'photos', 'a.jpg'), 'precious');
  writeFileSync(join(workspace, 'notes.txt'), 'precious');
  expect((await download()).code).toBe(0);
  expect(readdirSync(workspace).sort()).toEqual(['notes.txt', 'photos']);
  expect(existsSync(join(workspace, 'photos', 'a.jpg'))).toBe(true);
});

posixTest('a workspace that other users can read gets mode 0700 and is used', async () => {
  mkdirSync(workspace, { mode: 0o755 });
  await leaveUnfinished();
  expect(statSync(workspace).mode & 0o777).toBe(0o700);
  expect((await download()).code).toBe(0);
  expect(readdirSync(harness.output)).toEqual([`${ID}.cbz`]);
});

posixTest('links in place of loading pages are replaced, not followed', async () => {
  harness.service.injectPageFaults({ fault: 'status-500', chapter: ID, attempts: 2 });
  const planting = setInterval(() => {
    if (!existsSync(join(workspace, 'chapter.json'))) return;
    clearInterval(planting);
    for (let page = 1; page <= PAGES; page += 1) {
      const part = join(workspace, `${page}.part`);
      if (!existsSync(part)) symlinkSync(join(victim, '.bashrc'), part);
    }
  }, 1);
  const { code } = await download();
  clearInterval(planting);
  expect(code).toBe(0);
  expectVictimUntouched();
  expect(readdirSync(harness.output)).toEqual([`${ID}.cbz`]);
});

posixDescribe('in place of a file of the workspace', () => {
  const pageName = () => readdirSync(workspace).find((name) => name.startsWith('2.')) ?? '';

  test.each([
    ['chapter.json', () => 'chapter.json', PAGES],
    ['a page', pageName, 2],
  ])('a named pipe as %s is replaced and does not block', async (_, nameOf, loaded) => {
    await leaveUnfinished();
    const file = join(workspace, nameOf());
    rmSync(file);
    execFileSync('mkfifo', [file]);
    const { code, events } = await download();
    expect(code).toBe(0);
    expect(events.filter(({ type }) => type === 'page-loaded')).toHaveLength(loaded);
  });

  test('a link as chapter.json or as a page is not read', async () => {
    await leaveUnfinished();
    for (const name of ['chapter.json', pageName()]) {
      const file = join(workspace, name);
      const moved = join(harness.folder, name);
      writeFileSync(moved, readFileSync(file));
      rmSync(file);
      symlinkSync(moved, file);
    }
    const { code, events } = await download();
    expect(code).toBe(0);
    expect(events.filter(({ type }) => type === 'page-loaded')).toHaveLength(PAGES);
  });

  test.each([
    ['a named pipe', (file: string) => execFileSync('mkfifo', [file])],
    [
      'a symbolic link',
      (file: string) => {
        symlinkSync('/nowhere/lock', file);
      },
    ],
  ])('%s as its lock is refused', async (kind, plant) => {
    mkdirSync(workspace);
    plant(join(workspace, 'lock'));
    const { code, events } = await download();
    expect(code).toBe(3);
    expect(events).toContainEqual(
      expect.objectContaining({
        reason: 'unsafe-path',
        message: `${join(workspace, 'lock')} is ${kind} and is not used.`,
      }),
    );
  });
});

describe('folders below the output folder', () => {
  const inFolder = { name: 'Series/{id}.cbz', metadata: true } as const;
  let described: DownloadHarness;
  beforeEach(async () => {
    described = await DownloadHarness.start();
    mkdirSync(described.output, { recursive: true });
  });
  afterEach(() => described.stop());
  const first = () =>
    described.service.library.chapters().find((one) => one.pages('data').length > 0)?.id ?? '';

  posixTest('that are links are refused', async () => {
    symlinkSync(victim, join(described.output, 'Series'));
    const { code, events } = await described.download({ targets: [first()], ...inFolder });
    expect(code).toBe(3);
    expect(events).toContainEqual(expect.objectContaining({ reason: 'unsafe-path' }));
    expectVictimUntouched();
  });

  posixTest(
    'are created and used otherwise, even if the output folder itself is a link',
    async () => {
      const link = join(described.folder, 'link');
      symlinkSync(described.output, link);
      const { code } = await described.download({ targets: [first()], output: link, ...inFolder });
      expect(code).toBe(0);
      expect(lstatSync(join(described.output, 'Series')).isDirectory()).toBe(true);
      expect(described.archives()).toHaveLength(1);
    },
  );
});
