/** Captchas during a download (spec 5, captcha mechanism). */
import { login } from '../../../src/cli/commands/login.js';
import {
  PRACTICE_CAPTCHA_RESULT,
  PRACTICE_SITE_KEY,
} from '../../../src/practice-server/captcha-check.js';
import {
  EXAMPLE_CHAPTERS,
  EXAMPLE_TITLES,
  generateChapter,
} from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';

const chapter = generateChapter({
  id: '0d5c1b62-52a3-4c4d-9d3f-7b1d2a9f0071',
  pages: 2,
  bytesPerPage: 20_000,
});

let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start({ chapters: [chapter] });
});
afterEach(() => harness.stop());

test('without a result and without a terminal: exit 5, with the site key and the command to run', async () => {
  harness.service.requireCaptcha({ pathStart: '/at-home/' });
  const { code, events, stderr } = await harness.download({ targets: [chapter.id] });
  expect(code).toBe(5);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'chapter-failed', reason: 'captcha-required' }),
  );
  expect(JSON.stringify(events)).toContain(PRACTICE_SITE_KEY);
  expect(stderr).toContain('--captcha-result');
});

test('--captcha-result sends the request again with X-Captcha-Result', async () => {
  harness.service.requireCaptcha({ pathStart: '/at-home/' });
  const { code } = await harness.download({
    targets: [chapter.id],
    captchaResult: PRACTICE_CAPTCHA_RESULT,
  });
  expect(code).toBe(0);
  const asked = harness.service.log.filter(({ path }) => path.startsWith('/at-home/'));
  expect(asked.map(({ headers }) => headers['x-captcha-result'])).toEqual([
    undefined,
    PRACTICE_CAPTCHA_RESULT,
  ]);
  expect(harness.service.violations()).toEqual([]);
});

test('a request that changes data is not repeated: the result is sent to /captcha/solve, with the token', async () => {
  await harness.command((run) => login({ insecureStorage: true }, run), {
    env: harness.loginEnvironment(),
  });
  harness.service.requireCaptcha({ pathStart: `/manga/${EXAMPLE_TITLES.starlight}/read` });
  const { code } = await harness.download({
    targets: [EXAMPLE_CHAPTERS.starlightFirst],
    markRead: true,
    captchaResult: PRACTICE_CAPTCHA_RESULT,
  });
  expect(code).toBe(0);
  const posts = harness.service.log.filter(
    ({ host, method }) => host === 'api' && method === 'POST',
  );
  expect(posts.map(({ path }) => path.split('/').at(-1))).toEqual(['read', 'solve', 'read']);
  expect(posts[1]?.headers.authorization).toMatch(/^Bearer /);
});
