/** What is loaded before a download sends its first request: the code of other commands and of the plan comes later. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { startPracticeService } from '../../../src/practice-server/practice-service.js';
import { tankobon } from '../../support/command.js';

const ID = '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0065';
/** Writes the names of the chunks, and of Node's modules, that are loaded when a request is written. */
const HOOK = `
  const { writeFileSync } = require('node:fs');
  const { basename } = require('node:path');
  require('node:diagnostics_channel').subscribe('http.client.request.start', () => {
    const chunks = Object.keys(require.cache).map((file) => basename(file).split('-')[0]);
    const names = JSON.stringify([...chunks, ...process.moduleLoadList]);
    writeFileSync(process.env.CHUNKS_FILE, names, { flag: 'a' });
    writeFileSync(process.env.CHUNKS_FILE, '\\n', { flag: 'a' });
  });
`;

test.each([
  ['a UUID', ID],
  ['an address', `https://mangadex.org/chapter/${ID}`],
])('the first request for %s needs neither the other commands nor the plan', async (_, target) => {
  const service = await startPracticeService({
    chapters: [generateChapter({ id: ID, pages: 1, bytesPerPage: 2_000 })],
  });
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-first-'));
  try {
    const [hook, chunks] = [join(folder, 'hook.cjs'), join(folder, 'chunks')];
    writeFileSync(hook, HOOK);
    const hooked = { NODE_OPTIONS: `--require ${hook}`, CHUNKS_FILE: chunks };
    const { code } = await tankobon(['download', target, '-o', join(folder, 'out')], {
      env: { ...service.environment, ...hooked },
    });
    expect(code).toBe(0);
    const requests = readFileSync(chunks, 'utf8').trim().split('\n');
    const [first = [], ...others] = requests.map((line) => JSON.parse(line) as string[]);
    expect(first).toContain('service');
    expect(first).not.toContain('planning');
    expect(first).not.toContain('other');
    // Later requests are sent by what it left out.
    expect(others.at(-1)).toContain('planning');
    // Files are opened by functions with callbacks: scripts/bundle/callback-fs.js.
    expect(others.at(-1)).not.toContain('NativeModule internal/fs/promises');
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
