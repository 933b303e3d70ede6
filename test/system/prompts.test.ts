/** The questions at a real terminal of 40, 80 and 200 columns: their menus, and what Esc and Ctrl-C leave. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { editChapter } from '../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../src/practice-server/practice-service.js';
import { writeArchive } from '../support/archive.js';
import { PROGRAM } from '../support/command.js';
import { describeWith } from '../support/requirements.js';
import { DAY_MS, syncChapter, syncLibrary, titleId } from '../support/sync-harness.js';
import { TmuxTerminal } from '../support/tmux.js';

const LONG = 'The Lighthouse Keeper Who Counted Every Wave of the Winter';
const NAMES = [LONG, `${LONG} Again`, 'The Lighthouse'];
const TARGET = `title:${titleId(LONG)}`;

/** A question, and what is typed at the ones before it. */
interface Question {
  readonly command: string;
  readonly before?: readonly (readonly [awaits: RegExp, types: string])[];
  readonly awaits: RegExp;
}

const TITLE = /Which title\?/;
const LANGUAGE = /\? Language\?/;
const ADDRESS = /address or UUID of the title of/;
const QUESTIONS: readonly Question[] = [
  { command: 'search lighthouse', awaits: TITLE },
  { command: 'search lighthouse', before: [[TITLE, '']], awaits: LANGUAGE },
  {
    command: 'search lighthouse',
    before: [
      [TITLE, ''],
      [LANGUAGE, ''],
    ],
    awaits: /Download\?/,
  },
  { command: `download ${TARGET}`, awaits: LANGUAGE },
  { command: `sync add ${TARGET}`, awaits: /Folder for the chapters\?/ },
  {
    command: `sync add ${TARGET}`,
    before: [[/Folder for the chapters\?/, 'out']],
    awaits: LANGUAGE,
  },
  { command: 'sync add lighthouse', awaits: TITLE },
  { command: 'adopt manga --apply --choose', awaits: ADDRESS },
  {
    command: 'adopt manga --apply --choose',
    before: [[ADDRESS, TARGET]],
    awaits: /Which chapter is/,
  },
  { command: 'login --insecure-storage', awaits: /Username:/ },
  {
    command: 'login --insecure-storage',
    before: [[/Username:/, 'reader']],
    awaits: /Password:/,
  },
  { command: 'login --for komga --insecure-storage', awaits: /Komga API key/ },
  { command: 'limits --reset', awaits: /ban this address\. \(y\/N\)/ },
];

let folder: string;
let service: PracticeService;
let terminal: TmuxTerminal;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-prompts-'));
  const readableMs = Date.now() - 9 * DAY_MS;
  const library = syncLibrary(NAMES, readableMs);
  const french = syncChapter(LONG, '1', readableMs, { group: 'Pies' });
  library.putChapter(
    editChapter(french, '2025-01-01T00:00:00+00:00', { translatedLanguage: 'fr' }),
  );
  service = await startPracticeService({ library });
  writeFileSync(
    join(folder, 'tankobon'),
    `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`,
    { mode: 0o755 },
  );
  mkdirSync(join(folder, 'manga', 'Some'), { recursive: true });
  await writeArchive(join(folder, 'manga/Some/Some Thing 1.cbz'), { '1.png': 'a', '2.png': 'b' });
});
afterEach(async () => {
  await terminal.stop();
  await service.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function open(columns: number, env: Readonly<Record<string, string>> = {}): Promise<void> {
  terminal = await TmuxTerminal.start({
    columns,
    cwd: folder,
    env: {
      ...service.environment,
      HOME: folder,
      TANKOBON_HOME: join(folder, 'home'),
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      ...env,
    },
  });
}

/** A question may be wrapped. */
const untilAsked = (question: RegExp): Promise<string> =>
  terminal.until((screen) => question.test(screen.replace(/\s+/g, ' ')));

async function answer(steps: readonly (readonly [awaits: RegExp, types: string])[]): Promise<void> {
  for (const [awaits, types] of steps) {
    await untilAsked(awaits);
    await terminal.type(types);
  }
}

async function exitCode(): Promise<number> {
  await terminal.typeAlone('echo code: $?');
  return Number(/^code: (\d+)$/m.exec(await terminal.ended())?.[1]);
}

/** Wrapped lines as one. */
const joined = (screen: string): string => screen.replace(/\s+/g, ' ');

const rowsWith = (screen: string, text: RegExp): string[] =>
  screen.split('\n').filter((row) => text.test(row));

describeWith('the questions at a real terminal', { programs: ['tmux'] }, () => {
  test.each([40, 80, 200])(
    'at %i columns each choice has one row, and answered questions leave no rest of their menus',
    async (columns) => {
      await open(columns);
      await terminal.typeAlone('tankobon search lighthouse');
      const menu = await untilAsked(/select/);
      expect(rowsWith(menu, /^[❯ ] The Lighthouse/)).toHaveLength(NAMES.length);
      expect(rowsWith(menu, /^❯ The Lighthouse/)).toHaveLength(1);
      await answer([
        [TITLE, ''],
        [LANGUAGE, ''],
        [/Download\?/, 'n'],
      ]);
      const ended = await terminal.ended();
      for (const text of [/Which title\?/, /Language\?/, /Download\?/])
        expect(rowsWith(ended, text)).toHaveLength(1);
      expect(rowsWith(ended, /^❯|navigate/)).toEqual([]);
      expect(await exitCode()).toBe(0);

      await terminal.typeAlone('tankobon adopt manga --apply --choose');
      await answer([[ADDRESS, TARGET]]);
      const chapters = await untilAsked(/Which chapter is .*select/);
      expect(rowsWith(chapters, /^[❯ ] Ch\. 1 \((?:en|fr)\) 2 pages/)).toHaveLength(2);
      expect(rowsWith(chapters, /^ {2}(?:None of them|Skip all the others)$/)).toHaveLength(2);
      await terminal.press('Up');
      await terminal.type('');
      expect((await terminal.ended()).replace(/\s+/g, ' ')).toMatch(
        /[12] recognized, 0 not|0 recognized, 1 not/,
      );
    },
  );

  test.each([40, 80, 200])(
    'at %i columns a name becomes a series that stays up to date by three commands',
    async (columns) => {
      await open(columns);
      const title = `https://mangadex.org/title/${titleId(LONG)}`;
      await terminal.typeAlone('tankobon search counted --limit 1');
      const menu = await untilAsked(/Which title\?.*https/);
      expect(joined(menu)).toContain('1 of 2 titles; more: --limit 2, or more words');
      expect(menu.replace(/\s+/g, '')).toMatch(/https:\/\/mangadex\.org\/title\/[0-9a-f-]{36}/);
      await terminal.type('');
      await answer([[LANGUAGE, '']]);
      const asked = joined(await untilAsked(/Download\?/));
      expect(asked).toContain('2 chapters in en, ');
      expect(asked.replaceAll(' ', '')).toContain(`,into${folder}.Download?`);
      await terminal.type('');
      const ended = joined(await terminal.ended());
      const [command = ''] = /tankobon sync add.*?(?=\$ ?$)/s.exec(ended) ?? [];
      expect(ended).toContain('New chapters later: tankobon sync add');
      const words = command.replaceAll(' ', '');
      expect(words).toMatch(
        /^tankobonsyncaddhttps:\/\/mangadex\.org\/title\/[0-9a-f-]{36}--languageen--output/,
      );
      expect(words).toContain(folder);

      await terminal.typeAlone(`tankobon sync add ${title} --language en --output '${folder}'`);
      expect(joined(await terminal.ended())).toContain('run: tankobon sync ');
      await terminal.typeAlone('tankobon sync');
      expect((await terminal.ended()).replace(/\s+/g, '')).toContain('0newchapters.');
      expect(readdirSync(folder).filter((name) => name.endsWith('.cbz'))).toEqual([]);
    },
  );

  test.each([40, 80, 200])('at %i columns a locale without Unicode gets ASCII', async (columns) => {
    await open(columns, { LC_ALL: 'C' });
    await terminal.typeAlone('tankobon search keeper');
    const menu = await untilAsked(/Which title\?.*select/);
    expect(rowsWith(menu, /^> The Lighthouse/)).toHaveLength(1);
    expect(menu).not.toMatch(/[❯✔↑↓⏎•]/);
    await terminal.type('');
    const asked = await untilAsked(LANGUAGE);
    expect(asked).not.toMatch(/[❯✔↑↓⏎•]/);
  });

  test('sync add with a name searches, asks, and subscribes', async () => {
    await open(80);
    await terminal.typeAlone('tankobon sync add lighthouse --output out --language en');
    await answer([[TITLE, '']]);
    expect(joined(await terminal.ended())).toMatch(/Subscribed: The Lighthouse.*Languages: en/);
    const file = join(folder, 'home/subscriptions.yaml');
    expect(readFileSync(file, 'utf8')).toMatch(/https:\/\/mangadex\.org\/title\/[0-9a-f-]{36}/);
  });

  test.each([
    [40, ['Escape', 'C-c']],
    [80, ['Escape']],
    [200, ['C-c']],
  ])(
    'at %i columns %j cancel each question with exit 130, and nothing is written',
    async (columns, keys) => {
      await open(columns);
      for (const { command, before = [], awaits } of QUESTIONS)
        for (const key of keys) {
          await terminal.typeAlone(`tankobon ${command}`);
          await answer(before);
          await untilAsked(awaits);
          await terminal.press(key);
          const screen = await terminal.ended();
          expect({ command, key, last: screen.trim().split('\n').at(-2) }).toEqual({
            command,
            key,
            last: 'Cancelled.',
          });
          expect(screen).not.toMatch(/error:|hint:|recognized|\bat .*\.js:/);
          expect(await terminal.modes()).toEqual({ cursor: true, wrap: true });
          expect({ command, key, code: await exitCode() }).toEqual({ command, key, code: 130 });
        }
      expect(existsSync(join(folder, 'home/subscriptions.yaml'))).toBe(false);
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      expect(files.filter((name) => name.endsWith('.cbz'))).toHaveLength(1);
    },
    240_000,
  );
});
