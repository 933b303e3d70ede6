/** Exactly one of several processes publishes a name, with and without hard links. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { publishNew, publishUnderLock } from '../../../src/core/publish.js';
import { MODULES_URL } from '../../support/build-folders.js';

const PROCESSES = 3;
const NAMES = Array.from({ length: 20 }, (_, index) => `${index}.cbz`);

interface Result {
  readonly name: string;
  readonly own: string;
  readonly published: boolean;
}

/** Rejects when the process exits. */
async function failure(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`The worker ended with ${code ?? 'a signal'}.`);
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-publish-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  ['publishNew', publishNew],
  ['publishUnderLock', publishUnderLock],
] as const)('%s', (how, publish) => {
  test('renames to a free name, and removes the temporary one', async () => {
    const tmpFile = join(folder, '.a.tmp');
    writeFileSync(tmpFile, 'a');
    expect(await publish(tmpFile, join(folder, 'a.cbz'))).toBe(true);
    expect(readdirSync(folder)).toEqual(['a.cbz']);
    expect(readFileSync(join(folder, 'a.cbz'), 'utf8')).toBe('a');
  });

  test('keeps an existing file, and the temporary one', async () => {
    const tmpFile = join(folder, '.a.tmp');
    writeFileSync(tmpFile, 'new');
    writeFileSync(join(folder, 'a.cbz'), 'old');
    expect(await publish(tmpFile, join(folder, 'a.cbz'))).toBe(false);
    expect(existsSync(tmpFile)).toBe(true);
    expect(readFileSync(join(folder, 'a.cbz'), 'utf8')).toBe('old');
  });

  test('a missing file is a system error', async () => {
    const tmpFile = join(folder, '.a.tmp');
    writeFileSync(tmpFile, 'a');
    await expect(publish(join(folder, 'missing'), join(folder, 'a.cbz'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect(readdirSync(folder)).toEqual(['.a.tmp']);
  });

  test('one of several processes gets the name', async () => {
    const children = await Promise.all(
      Array.from({ length: PROCESSES }, async (_, index) => {
        const job = { dist: MODULES_URL, folder, own: `process-${index}`, how };
        const worker = resolve('test/integration/core/workers/publisher.js');
        const child = fork(worker, [JSON.stringify(job)], { execArgv: [] });
        await Promise.race([once(child, 'message'), failure(child)]);
        return child;
      }),
    );
    for (const name of NAMES) {
      const answers = children.map((child) => once(child, 'message'));
      for (const child of children) child.send(name);
      const results = (await Promise.all(answers)).map(([result]) => result as Result);
      const [winner, ...others] = results.filter(({ published }) => published);
      expect(others).toEqual([]);
      expect(readFileSync(join(folder, name), 'utf8')).toBe(winner?.own);
    }
    for (const child of children) child.disconnect();
  });
});
