/** A sync that is killed at random moments: nothing comes twice, nothing is lost, and the history is complete. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startPracticeService } from '../../src/practice-server/practice-service.js';
import { readArchive } from './archive.js';
import { start, tankobon } from './command.js';
import { startMediaServers } from './media-servers.js';
import { syncChapter, DAY_MS, syncLibrary, titleId } from './sync-harness.js';

export async function killSync(kills: number, minMs: number, maxMs: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-killed-sync-'));
  const names = Array.from({ length: 4 }, (_, index) => `Series ${index}`);
  const readableMs = Date.now() - 9 * DAY_MS;
  const library = syncLibrary(names, readableMs);
  for (const name of names)
    for (const number of ['3', '4', '5'])
      library.putChapter(syncChapter(name, number, readableMs, {}, 8));
  const service = await startPracticeService({ library, latencyMs: { node: 40 } });
  const servers = await startMediaServers();
  try {
    const output = join(folder, 'comics');
    const file = join(folder, 'subscriptions.yaml');
    const series = names.map((name) => `  - target: title:${titleId(name)}\n`).join('');
    writeFileSync(
      file,
      `defaults: { output: ${output} }\nseries:\n${series}hooks: { webhook: "${servers.url}/hook" }\n`,
    );
    const env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
    const words = ['sync', '--file', file, '--json'];
    const saved: string[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const { child, finished } = start(words, { env });
      await delay(minMs + Math.random() * (maxMs - minMs));
      child.kill('SIGKILL');
      saved.push(...savedIn((await finished).stdout));
    }
    const last = await tankobon(words, { env });
    expect({ code: last.code, stderr: last.stderr }).toMatchObject({ code: 0 });
    saved.push(...savedIn(last.stdout));

    const chapters = library.chapters().map(({ id }) => id);
    // Nothing twice.
    expect(new Set(saved).size).toBe(saved.length);
    const archives = readdirSync(output, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.cbz'))
      .map((name) => join(output, name));
    // Nothing lost.
    expect(archives).toHaveLength(chapters.length);
    for (const archive of archives) await readArchive(archive);
    const [state = ''] = readdirSync(join(folder, 'home', 'sync'));
    const history = readFileSync(
      join(folder, 'home', 'sync', state, 'download-archive.txt'),
      'utf8',
    );
    const expected = [...chapters.map((id) => `mangadex ${id}`), `folder "${output}"`];
    expect(history.trim().split('\n').sort()).toEqual(expected.sort());
    // A chapter may be announced by two runs, if the first was killed just after it was.
    const announced = new Set(servers.hooks.flatMap((hook) => hook.chapters.map(({ id }) => id)));
    for (const id of chapters) expect(announced).toContain(id);
    const known = new Set<string>();
    const repeated = servers.hooks.filter(({ chapters: ofHook }) => {
      const isRepeated = ofHook.some(({ id }) => known.has(id));
      for (const { id } of ofHook) known.add(id);
      return isRepeated;
    });
    expect(repeated.length).toBeLessThanOrEqual(kills);
    const after = await tankobon(words, { env });
    expect(savedIn(after.stdout)).toEqual([]);
    expect(service.violations()).toEqual([]);
  } finally {
    await service.stop();
    await servers.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function savedIn(stdout: string): string[] {
  return stdout.split('\n').flatMap((line) => {
    try {
      const event = JSON.parse(line) as { type: string; chapter: string };
      return event.type === 'chapter-saved' ? [event.chapter] : [];
    } catch {
      // The last line of a killed process may be incomplete.
      return [];
    }
  });
}
