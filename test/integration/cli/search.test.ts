/** `tankobon search` against the practice service: the table and the JSON. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  startPracticeService,
  type PracticeService,
} from '../../../src/practice-server/practice-service.js';
import { tankobonHere } from '../../support/in-process.js';

let service: PracticeService;
let folder: string;
let env: Record<string, string>;
let before = 0;
beforeAll(async () => {
  service = await startPracticeService();
  folder = mkdtempSync(join(tmpdir(), 'tankobon-search-'));
  env = { ...service.environment, TANKOBON_HOME: join(folder, 'home') };
});
beforeEach(() => {
  before = service.log.length;
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const requests = () =>
  service.log.slice(before).map(({ method, path }) => `${method} ${path.split('?')[0] ?? ''}`);

test('a row for each title: id, year, status, languages, name; one request', async () => {
  const { code, stdout } = await tankobonHere(['search', 'lighthouse'], { env });
  expect(code).toBe(0);
  const [head, row, ...more] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/^id +year +status +languages +title$/);
  expect(row).toMatch(/^[0-9a-f-]{36} {2}(\d{4}|–) +\w+ +[a-z-]+(, [a-z-]+)* .*Lighthouse/i);
  expect(more).toEqual([]);
  expect(requests()).toEqual(['GET /manga']);
});

test('--json is one array of objects', async () => {
  const { stdout } = await tankobonHere(['search', '--json', 'light', 'house'], { env });
  const titles = JSON.parse(stdout) as Record<string, unknown>[];
  for (const title of titles)
    expect(Object.keys(title)).toEqual(['id', 'title', 'year', 'status', 'languages']);
});

test('nothing found is told on standard error, and is no failure', async () => {
  const { code, stdout, stderr } = await tankobonHere(['search', 'xyzzy'], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toContain('No title');
});

test('the languages of the flag narrow the search', async () => {
  const { stdout } = await tankobonHere(['search', '--json', '--language', 'xx', 'lighthouse'], {
    env,
  });
  expect(JSON.parse(stdout)).toEqual([]);
});
