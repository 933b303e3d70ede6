/** What is asked wrongly and shows only when a file is looked at: exit 2, with the code's own hint. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ERROR_CODES } from '../../src/kernel/error-codes.js';
import { tankobon } from './command.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankobon-usage-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('a file of targets that is not there is bad-input-file', async () => {
  const missing = join(folder, 'missing.txt');
  const env = { TANKOBON_HOME: join(folder, 'home') };
  const { code, stderr } = await tankobon(['download', '--from-file', missing], { env });
  expect(code).toBe(ERROR_CODES['bad-input-file'].exitCode);
  expect(stderr).toContain(missing);
  expect(stderr).toContain(ERROR_CODES['bad-input-file'].hint);
});

test('a page of figures that cannot be written is bad-output', async () => {
  const env = { TANKOBON_HOME: join(folder, 'home') };
  const { code, stderr } = await tankobon(
    ['report-status', '--html', join(folder, 'no', 'such', 'nodes.html')],
    { env },
  );
  expect(code).toBe(ERROR_CODES['bad-output'].exitCode);
  expect(stderr).toContain('cannot be written');
});
