/** What needs a login checks for it before anything is downloaded. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { EXAMPLE_CHAPTERS } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';

let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start();
});
afterEach(() => harness.stop());

test('--mark-read without a login sends nothing, saves nothing and exits 4', async () => {
  const { first, joint } = EXAMPLE_CHAPTERS;
  const { code, events, stderr } = await harness.download({
    targets: [first, joint],
    markRead: true,
  });
  expect(code).toBe(4);
  expect(stderr).toContain('tankobon login');
  expect(events[0]).toMatchObject({
    type: 'chapter-failed',
    reason: 'not-logged-in',
    message: 'Not logged in: marking chapters as read needs a login.',
  });
  expect(events.at(-1)).toMatchObject({ type: 'summary', saved: 0, stopped: 'not-logged-in' });
  expect(harness.service.log).toEqual([]);
  expect(harness.archives()).toEqual([]);
});
