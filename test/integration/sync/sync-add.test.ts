/** `tankobon sync add`, `list`, `status`, `remove`, `edit` and `path`: what is asked, printed and written. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uuidOf } from '../../../src/practice-server/library/library.js';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { tankobonHere } from '../../support/in-process.js';
import { posixDescribe } from '../../support/platform.js';
import { DAY_MS, chapterId, syncLibrary, titleId } from '../../support/sync-harness.js';
import { virtualClock, type VirtualClock } from '../../support/virtual-clock.js';

const ALPHA = titleId('Alpha');
const BETA = titleId('Beta Max');
const LIST = '5e1f0c1b-6a0b-4e7e-9b1d-0a4c5e2f7102';
const UNKNOWN = '00000000-6a0b-4e7e-9b1d-0a4c5e2f7101';

let folder: string;
let file: string;
let clock: VirtualClock;
let service: PracticeService;
let env: Record<string, string>;
beforeEach(async () => {
  clock = virtualClock();
  folder = mkdtempSync(join(tmpdir(), 'tankobon-sync-add-'));
  file = join(folder, 'home', 'subscriptions.yaml');
  const library = syncLibrary(['Alpha', 'Beta Max'], Date.now() - 9 * DAY_MS, {}, [
    { id: LIST, name: 'Both', visibility: 'public', titleIds: [ALPHA, BETA] },
  ]);
  service = await startPracticeService({ library, clock });
  env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const here = (...words: string[]) => tankobonHere(words, { env, clock });
const run = (...words: string[]) => here('sync', ...words);
const add = (...words: string[]) => run('add', ...words, '-o', join(folder, 'comics'));
const text = () => readFileSync(file, 'utf8');
const requests = () => service.log.filter(({ host }) => host === 'api').map(({ path }) => path);

describe('add', () => {
  test('asks the service, prints the name of the title, and stores it with the options', async () => {
    const { code, stderr } = await run(
      ...['add', `https://mangadex.org/title/${ALPHA}/alpha`, '--language', 'pt-br,en'],
      ...['--group', 'Preferred Scans,"Other, Scans"', '--wait-for-group', '2d', '--upgrade'],
      ...['--keep-latest', '20', '--keep-unread'],
      ...['-o', join(folder, 'comics'), '--folder', 'My Series', '--bind', 'volume'],
      ...['--format', 'epub', '--from-now'],
    );
    expect([code, stderr]).toEqual([
      0,
      `Subscribed: Alpha\nLanguages: pt-br, en\nFolder: ${join(folder, 'comics')}\n` +
        'To download the chapters, run: tankobon sync\n',
    ]);
    expect(requests()).toEqual([`/manga/${ALPHA}`]);
    for (const line of [
      `- target: https://mangadex.org/title/${ALPHA}/alpha`,
      'title: Alpha',
      'language: [ pt-br, en ]',
      'wait-for-group: 2d',
      'keep-latest: 20',
      'keep-unread: true',
      'bind: { by: volume, format: epub }',
    ])
      expect(text()).toContain(line);
  });

  test('a new file names the schema in the package, which stays; a file of yours gets none', async () => {
    await add(ALPHA);
    const [first = '', second] = text().split('\n');
    const [, schema = ''] = /^# yaml-language-server: \$schema=(file:.*)$/.exec(first) ?? [];
    expect([existsSync(new URL(schema)), second]).toEqual([true, expect.stringMatching(/^id: /)]);
    writeFileSync(
      file,
      text().replace(schema, 'file:///old/tankobon/schemas/subscriptions.schema.json'),
    );
    await add(BETA);
    expect(text().split('\n')[0]).toBe(first);
    writeFileSync(file, `series:\n  - target: ${ALPHA}\n`);
    await add(BETA);
    expect(text()).not.toContain('$schema');
  });

  test('a time ago is stored as the time that it is now', async () => {
    const before = clock.wallMs();
    const { code } = await add(ALPHA, '--since', '7d', '--until', '2099-01-01');
    expect(code).toBe(0);
    const [, since = ''] = /since: (\S+)/.exec(text()) ?? [];
    const agoMs = before - Date.parse(since);
    expect(agoMs).toBeLessThanOrEqual(7 * 86_400_000);
    expect(agoMs).toBeGreaterThan(6.9 * 86_400_000);
    expect(text()).toContain('until: 2099-01-01');
    const both = await add(ALPHA, '--since', '7d', '--from-now');
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('with --since') });
  });

  test('a UUID is resolved to what it is; an address is written without the quotes around it', async () => {
    expect((await add(ALPHA)).code).toBe(0);
    expect((await add(`"https://mangadex.org/title/${BETA}",`)).code).toBe(0);
    expect(text()).toContain(`- target: title:${ALPHA}\n    title: Alpha\n`);
    expect(text()).toContain(`- target: https://mangadex.org/title/${BETA}\n    title: Beta Max\n`);
  });

  test.each([
    ['an unknown title', `title:${UNKNOWN}`, /MangaDex has no such title: 0000/],
    ['an unknown UUID', UNKNOWN, /MangaDex has no such title: 0000/],
    ['an unknown list', `list:${UNKNOWN}`, /MangaDex has no such list: 0000/],
    [
      'the UUID of a chapter',
      chapterId('Alpha', '1'),
      new RegExp(
        `A chapter cannot be subscribed to.*\nhint: .*Alpha, run: .*title/${ALPHA} --output .*/comics\n$`,
      ),
    ],
    [
      'the address of a chapter',
      `https://mangadex.org/chapter/${chapterId('Alpha', '1')}`,
      new RegExp(
        `A chapter cannot be subscribed to.*\nhint: .*Alpha, run: .*title/${ALPHA} --output .*/comics\n$`,
      ),
    ],
  ])('%s is exit 3, and nothing is written', async (_what, target, message) => {
    const { code, stderr } = await add(target);
    expect(code).toBe(3);
    expect(stderr).toMatch(message);
    expect(existsSync(file)).toBe(false);
  });

  test('the command for the title of a chapter has the same options and subscriptions file', async () => {
    const other = join(folder, 'other.yaml');
    const { stderr } = await run(
      ...['add', chapterId('Alpha', '1'), '--file', other, '-o', 'my comics', '-l', 'en,pt-br'],
      ...['--group', 'One,"Two, Scans"', '--wait-for-group', '2d', '--upgrade', '--no-infer'],
      ...['--since', '7d', '--bind', 'volume'],
    );
    expect(stderr).toContain(
      `run: tankobon sync add https://mangadex.org/title/${ALPHA} --language en,pt-br` +
        ` --group 'One,"Two, Scans"' --wait-for-group 2d --upgrade --since 7d --output 'my comics'` +
        ` --bind volume --no-infer --file ${other}\n`,
    );
  });

  test('a group or an author is stored with its name; an unknown one is exit 3', async () => {
    const [group] = service.library.chapters()[0]?.groups ?? [];
    const { code, stderr } = await add(`https://mangadex.org/group/${group?.id}/x`);
    expect([code, stderr]).toEqual([
      0,
      'Subscribed: Scans\nLanguages: all (to choose: --language en)\n' +
        `Folder: ${join(folder, 'comics')}\n` +
        'To download the chapters, run: tankobon sync\n',
    ]);
    expect(requests()).toEqual([`/group/${group?.id}`]);
    expect(text()).toContain(
      `- target: https://mangadex.org/group/${group?.id}/x\n    title: Scans`,
    );
    const unknown = await add(`author:${UNKNOWN}`);
    expect(unknown.code).toBe(3);
    expect(unknown.stderr).toContain('MangaDex has no such author: 0000');
  });

  test('follows is a key of the file, with the defaults; remove removes it', async () => {
    const restricted = await add('follows', '--language', 'en');
    expect(restricted.code).toBe(2);
    expect(restricted.stderr).toContain('--language cannot be used with follows');
    expect((await add('follows')).code).toBe(0);
    expect(text()).toMatch(/^follows: true\ndefaults:\n? *\{? *output: \S+comics/m);
    expect(requests()).toEqual([]);
    expect((await run('add', 'follows')).stderr).toMatch(/^Already subscribed/);
    const removed = await run('remove', 'follows');
    expect(removed.stderr).toBe('Removed: the titles that the account follows\n');
    expect(text()).not.toContain('follows');
    const target = await run('add', `title:${ALPHA}`, '--group', 'x');
    expect(target.code).toBe(0);
    // It is not taken for the name of a subscription.
    expect((await run('add', 'follows')).stderr).toMatch(/^Subscribed: the titles that/);
  });

  test.each([' ', ',', '; '])(
    'takes each address of one argument, separated by %j',
    async (between) => {
      const { code, stderr } = await add(
        [ALPHA, BETA].map((id) => `https://mangadex.org/title/${id}`).join(between),
      );
      expect(code).toBe(0);
      expect(stderr.match(/^Subscribed: .*$/gm)).toEqual([
        'Subscribed: Alpha',
        'Subscribed: Beta Max',
      ]);
      expect(text().match(/target: \S+/g)).toHaveLength(2);
    },
  );

  test('without an output folder it is exit 2 before anything is sent', async () => {
    const { code, stderr } = await run('add', ALPHA);
    expect([code, stderr]).toEqual([
      2,
      'error: Say where the chapters go.\nhint: Add: --output DIR, or for all titles: tankobon config set output DIR\n',
    ]);
    expect(service.log).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  test('the command that help of sync and a missing file name subscribes as it is typed', async () => {
    const [help, missing] = await Promise.all([here('sync', '--help'), run('list')]);
    const hint = /Run: tankobon (.*)\n/.exec(missing.stderr)?.[1] ?? '';
    const example = /tankobon (sync add https[^\n]*)/.exec(help.stdout)?.[1] ?? '';
    for (const line of [hint, example]) {
      const words = line.replace('UUID', ALPHA).replace(/DIR|~\/comics/, join(folder, 'comics'));
      expect(await here(...words.split(' '))).toMatchObject({ code: 0 });
      rmSync(file);
    }
  });

  test('with --file, the commands in messages name that file too', async () => {
    const other = join(folder, 'my subscriptions.yaml');
    const quoted = `--file '${other}'`;
    const missing = await run('list', '--file', other);
    expect(missing.stderr).toContain(`--output DIR ${quoted}\n`);
    expect((await add(ALPHA, '--file', other)).code).toBe(0);
    const unknown = await run('remove', 'nothing', '--file', other);
    expect(unknown.stderr).toContain(`run: tankobon sync list ${quoted}\n`);
    await run('add', ALPHA, '--file', other, '--language', 'fr');
    const synced = await run('--file', other);
    expect(synced.stderr).toContain(`tankobon sync add title:${ALPHA} --language en ${quoted}\n`);
    rmSync(join(folder, 'comics'), { recursive: true, force: true });
  });

  test.each([
    ['a setting', async () => tankobonHere(['config', 'set', 'output', folder], { env })],
    ['a variable', () => (env = { ...env, TANKOBON_OUTPUT: folder })],
    ['the defaults of the file', writeDefaults],
  ])('%s is an output folder', async (_what, prepare) => {
    await prepare();
    expect((await run('add', ALPHA)).code).toBe(0);
    expect(text().split(ALPHA)[1]).not.toContain('output:');
  });

  async function writeDefaults(): Promise<void> {
    await add(BETA);
    writeFileSync(
      file,
      `defaults: { output: ${folder} }
series: []
`,
    );
  }

  test('it says which languages are taken, and from where', async () => {
    expect((await add(ALPHA)).stderr).toContain(
      'Languages: all, now en (to choose: --language en)',
    );
    await run('remove', 'Alpha');
    await tankobonHere(['config', 'set', 'language', 'pt-br'], { env });
    expect((await add(ALPHA)).stderr).toContain('Languages: pt-br (the setting language)');
    await run('remove', 'Alpha');
    writeFileSync(file, 'defaults: { language: en }\n');
    expect((await add(ALPHA)).stderr).toContain('Languages: en (the defaults of the file)');
    await run('remove', 'Alpha');
    writeFileSync(file, 'defaults: { output: ../shared }\n');
    expect((await run('add', ALPHA)).stderr).toContain(`\nFolder: ${join(folder, 'shared')}\n`);
  });

  test('a subscription is changed by its name, without a request; --unset removes an option', async () => {
    await add(BETA, '--language', 'en', '--group', 'Scans', '--upgrade');
    const sent = service.log.length;
    const { code, stderr } = await run('add', 'beta max', '--chapters', '1-', '--unset', 'group');
    expect([code, stderr]).toEqual([0, 'Changed: Beta Max\n']);
    expect((await run('add', 'beta max', '--chapters', '1-')).stderr).toBe(
      'Already subscribed: Beta Max\n',
    );
    expect(text()).toContain('chapters: 1-\n');
    expect(text()).not.toContain('group:');
    expect(text()).toContain('upgrade: true');
    const wrong = await run('add', 'beta max', '--unset', 'grop');
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean group?'),
    });
    const unknown = await add('gamma');
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('hint: To search for a title, run: tankobon search gamma'),
    });
    expect(service.log).toHaveLength(sent);
  });

  test('a file without titles goes on working, and so does one without an output folder', async () => {
    await tankobonHere(['config', 'path'], { env });
    await add(ALPHA);
    const output = JSON.stringify(join(folder, 'comics'));
    writeFileSync(
      file,
      `series:\n  - { target: title:${ALPHA}, output: ${output} }\n  - target: title:${BETA}\n`,
    );
    const { stdout } = await run('--dry-run', '--only', ALPHA);
    expect(stdout).toContain('Alpha  Ch. 1');
    expect((await run('list')).stdout).toContain(`title:${BETA}\n`);
  });
});

test('list says of groups and lists what the runs recorded: nothing, their failure, or the state of each title', async () => {
  const scans = `group:${uuidOf('sync group', 'Scans')}`;
  const gone = `list:${UNKNOWN}`;
  mkdirSync(join(folder, 'home'), { mode: 0o700 });
  const entries = [scans, gone].map((target) => `  - { target: '${target}', output: x }\n`);
  writeFileSync(file, `series:\n${entries.join('')}`, { mode: 0o600 });
  const states = async () =>
    [...(await run('list')).stdout.matchAll(/^ {2}state: (.*)$/gm)].map(([, state]) => state);
  expect(await states()).toEqual(['not checked yet', 'not checked yet']);
  expect((await run('--quiet')).code).toBe(3);
  expect(await states()).toEqual([
    'recorded for each of its titles only (tankobon sync status)',
    'not available in the last run',
  ]);
});

test('list prints UUID, name, languages, folder, options and state', async () => {
  await add(ALPHA, '--language', 'en', '--folder', 'Mine', '--group', 'Scans');
  await add(BETA, '--wait-for-group', '2d');
  writeFileSync(file, `${text().trimEnd()}\n    paused: true\n`);
  expect((await run('list')).stdout.split('\n')).toEqual([
    'Alpha',
    `  title:${ALPHA}`,
    '  languages: en',
    `  folder: ${join(folder, 'comics', 'Mine')}`,
    '  options: group: Scans',
    '  state: not checked yet',
    'Beta Max',
    `  title:${BETA}`,
    '  languages: all',
    `  folder: ${join(folder, 'comics')}`,
    '  options: wait-for-group: 2d',
    '  state: paused',
    '',
  ]);
  expect((await run('--quiet')).code).toBe(0);
  expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject([
    {
      id: ALPHA,
      kind: 'title',
      name: 'Alpha',
      languages: ['en'],
      output: join(folder, 'comics', 'Mine'),
      options: { group: ['Scans'], folder: 'Mine' },
      state: 'up-to-date',
    },
    { id: BETA, name: 'Beta Max', state: 'paused' },
  ]);
  // Windows PowerShell writes it so.
  writeFileSync(file, `\uFEFFseries:\r\n- target: title:${ALPHA}\r\n`, 'utf16le');
  expect((await run('list')).stdout).toContain(`title:${ALPHA}\n`);
});

test('remove takes a name, a part of it or an address, and prints the name', async () => {
  await add(ALPHA);
  await add(BETA);
  expect(await run('remove', 'a')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Several subscriptions match: Alpha, Beta Max'),
  });
  expect((await run('remove', 'max')).stderr).toBe('Removed: Beta Max\n');
  expect((await run('remove', `https://mangadex.org/title/${ALPHA}`)).stderr).toBe(
    'Removed: Alpha\n',
  );
  expect(await run('remove', 'nothing')).toMatchObject({ code: 2 });
  expect(await run('remove', '')).toMatchObject({ code: 2 });
});

test('status names the titles that failed, and why', async () => {
  await add(ALPHA);
  writeFileSync(
    file,
    `${text().trimEnd()}\n  - { target: title:${UNKNOWN}, title: Lost, output: x }\n`,
  );
  expect(await run('--quiet')).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/^error: Lost: Title not found: 0000/m) as unknown,
  });
  const { stdout } = await run('status');
  expect(stdout).toMatch(/2 new chapters, 1 failed\nFailed:\n {2}Lost: Title not found: 0000/);
  expect((await run('list')).stdout).toMatch(
    /^Lost\n(?: .*\n)* {2}state: not available in the last run$/m,
  );
  expect(JSON.parse((await run('status', '--json')).stdout)).toMatchObject({
    lastRun: { failures: [{ target: `title:${UNKNOWN}`, name: 'Lost' }] },
  });
});

test('a damaged file of a chapter is named with the command that repairs it', async () => {
  await add(ALPHA);
  await run();
  const names = () => readdirSync(join(folder, 'comics', 'Alpha')).sort();
  const [first = '', second] = names();
  const damaged = join(folder, 'comics', 'Alpha', first);
  truncateSync(damaged, 500);
  await run('add', 'Alpha', '--chapters', '1-9');
  const { stderr } = await run();
  expect(stderr).toContain(
    `warning: ${damaged} is damaged: its end is lost.\nhint: To download its chapter again, run: tankobon verify --repair '${damaged}'\n`,
  );
  expect(stderr).not.toContain('not in the folder any more');
  expect((await here('verify', '--repair', damaged)).code).toBe(0);
  expect(names()).toEqual([first, `${first}.damaged`, second]);
  truncateSync(damaged, 400);
  await run('--redownload');
  expect(names()).toEqual([`${first}.2.damaged`, first, `${first}.damaged`, second].sort());
});

test('chapters whose files are gone are named; --redownload and forget bring them back', async () => {
  await add(ALPHA);
  expect((await run('--quiet')).code).toBe(0);
  const saved = () => existsSync(join(folder, 'comics', 'Alpha'));
  const remove = () => {
    rmSync(join(folder, 'comics', 'Alpha'), { recursive: true });
    // An empty folder is taken for a disk that is not mounted.
    writeFileSync(join(folder, 'comics', 'other'), '');
  };
  remove();
  await run('add', 'Alpha', '--chapters', '1-9');
  const skipping = await run();
  expect(skipping.stderr).toMatch(
    /^warning: Alpha: 2 chapters skipped: downloaded before, but not in the folder any more\nhint: .*sync --redownload --only /m,
  );
  expect(saved()).toBe(false);
  expect((await run('--redownload', '--only', 'alpha')).stderr).toContain('Alpha: 2 new');
  expect(saved()).toBe(true);
  remove();
  expect((await run()).stderr).not.toContain('2 new');
  const forgotten = await run('forget', 'alpha');
  expect(forgotten).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Forgotten: Alpha\./),
  });
  expect((await run()).stderr).toContain('Alpha: 2 new');
  expect(saved()).toBe(true);
  // Only once.
  expect((await run()).stderr).not.toContain('2 new');
});

test('another folder of a subscription does not move its files, which is said with what to do', async () => {
  await add(ALPHA);
  expect((await run('add', 'Alpha', '-o', join(folder, 'first'))).stderr).toBe('Changed: Alpha\n');
  await run('--quiet');
  const { stderr } = await run('add', 'Alpha', '-o', join(folder, 'second'));
  const [, command = ''] =
    /^hint: .* stay in \S+first: move them\. .*: tankobon sync (.+)$/m.exec(stderr) ?? [];
  expect((await run(...command.split(' '))).stderr).toContain('Alpha: 2 new');
});

test('forget of a list is for all of its titles', async () => {
  expect((await add(`list:${LIST}`, '--language', 'all')).code).toBe(0);
  expect((await run()).stderr).toContain('Beta Max: 2 new');
  for (const name of readdirSync(join(folder, 'comics')))
    rmSync(join(folder, 'comics', name), { recursive: true });
  writeFileSync(join(folder, 'comics', 'other'), '');
  expect((await run()).stderr).not.toContain('2 new');
  const sent = requests().length;
  expect(await run('forget', LIST)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Forgotten: Both, 2 titles\./),
  });
  expect(requests().slice(sent)).toEqual([`/list/${LIST}`]);
  const again = (await run()).stderr;
  expect(again).toContain('Alpha: 2 new');
  expect(again).toContain('Beta Max: 2 new');
});

posixDescribe('edit and path', () => {
  /** An editor that runs a script with the file as its last argument. */
  function editor(script: string): void {
    const program = join(folder, 'vim');
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
    env = { ...env, EDITOR: program };
  }

  test('path prints where the file is', async () => {
    expect((await run('path')).stdout).toBe(`${file}\n`);
    expect((await run('path', '--file', '/x/y.yaml')).stdout).toBe('/x/y.yaml\n');
  });

  test('edit opens the file at the named subscription, and says what is in it', async () => {
    await add(ALPHA);
    await add(BETA);
    editor(`echo "$@" > ${join(folder, 'arguments')}`);
    const { code, stderr } = await run('edit', 'beta');
    expect([code, stderr]).toEqual([0, 'Valid: Alpha, Beta Max\n']);
    const line = text()
      .split('\n')
      .findIndex((each) => each.includes(BETA));
    const opened = readFileSync(join(folder, 'arguments'), 'utf8');
    expect(opened).toBe(`+${line + 1} ${file}\n`);
  });

  test('the editor gets no secret of tankobon', async () => {
    await add(ALPHA);
    env = {
      ...env,
      TANKOBON_PASSWORD: 'pass-1',
      TANKOBON_CLIENT_SECRET: 'secret-1',
      OTHER: 'kept',
    };
    editor(`env > ${join(folder, 'environment')}`);
    expect((await run('edit')).code).toBe(0);
    const passed = readFileSync(join(folder, 'environment'), 'utf8');
    expect(passed).toContain('OTHER=kept');
    expect(passed).not.toMatch(/pass-1|secret-1/);
  });

  test('a mistake made in the editor is reported with its line, and VISUAL comes first', async () => {
    editor('exit 1');
    env = { ...env, VISUAL: `${join(folder, 'visual')} -w` };
    writeFileSync(join(folder, 'visual'), '#!/bin/sh\necho "seris: []" > "$2"\n');
    chmodSync(join(folder, 'visual'), 0o755);
    const { code, stderr } = await run('edit');
    expect(code).toBe(2);
    expect(stderr).toContain(`${file}:1:1: seris: unknown key; did you mean series?`);
  });

  test.each([
    ['no editor', { VISUAL: ' ', EDITOR: '' }, /No editor is set\.\nhint: Set EDITOR, such as/],
    [
      'an editor that is missing',
      { EDITOR: '/nonexistent/ed' },
      /The editor is not found: \/nonexistent\/ed\nhint: /,
    ],
    ['an editor that fails', { EDITOR: 'false' }, /failed: exit code 1/],
    ['an editor that fails, with an empty VISUAL', { VISUAL: '', EDITOR: 'false' }, /exit code 1/],
  ])('%s is exit 2', async (_what, variables, message) => {
    env = { ...env, PATH: process.env['PATH'] ?? '', ...variables };
    const { code, stderr } = await run('edit');
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('an editor that is killed is exit 2, with the signal', async () => {
    editor('kill -9 $$');
    const { code, stderr } = await run('edit');
    expect(code).toBe(2);
    expect(stderr).toContain('vim failed: ended by SIGKILL');
  });
});
