/** What `download` prints and writes with `--quiet`, with `--verbose`, and with neither. */
import { planDownload } from '../../../src/download/run-download.js';
import { parseIdentityComment } from '../../../src/library/mark.js';
import { EXAMPLE_CHAPTERS } from '../../../src/practice-server/library/library.js';
import { download } from '../../../src/cli/commands/download.js';
import { readComment } from '../../support/archive.js';
import { downloadRequest } from '../../../src/download/download-request.js';
import { parseTarget } from '../../../src/selection/target.js';
import { DownloadHarness } from '../../support/download-harness.js';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const { first, joint } = EXAMPLE_CHAPTERS;
let harness: DownloadHarness;
beforeEach(async () => {
  harness = await DownloadHarness.start();
});
afterEach(() => harness.stop());

const run = ({ targets, ...options }: { quiet?: boolean; verbose?: boolean; targets: string[] }) =>
  harness.command((context) => download(targets, { output: harness.output, ...options }, context));

test('without either: a path for each chapter, and the summary', async () => {
  const { code, stdout, stderr } = await run({ targets: [first, joint] });
  expect(code).toBe(0);
  expect(stdout.trim().split('\n').sort()).toEqual([...harness.archives()].sort());
  expect(stderr).toMatch(
    /^2 saved; \d+ pages, [\d.]+ [kM]B in (\d+ min )?[\d.]+ m?s, [\d.]+ [kM]B\/s; health reports: \d+ sent(, \d+ left for the next run)?\n$/,
  );
  // The archive comment identifies the chapter, so there is no ComicBookInfo (JSON) beside it.
  const comments = await Promise.all(harness.archives().map(readComment));
  const ids = comments.map((comment) => parseIdentityComment(comment)?.chapterId);
  expect(ids.sort()).toEqual([first, joint].sort());
  for (const comment of comments) expect(comment).not.toMatch(/ComicBookInfo|[{}]/);
});

test('--quiet keeps the paths and the errors', async () => {
  const { code, stdout, stderr } = await run({ targets: [first, UNKNOWN], quiet: true });
  expect(code).toBe(3);
  expect(stdout.trim()).toBe(harness.archives()[0]);
  const [failure, ...hints] = stderr.trim().split('\n');
  expect(failure).toMatch(/^failed: MangaDex has no .*: 00000000-/);
  expect(hints.every((line) => line.startsWith('hint: '))).toBe(true);
});

test('--verbose shows each base URL, retry and wait', async () => {
  harness.service.injectPageFaults({ fault: 'flipped-byte', chapter: first, page: 2, attempts: 1 });
  harness.service.injectApiFault({ fault: 'unavailable', times: 1 });
  const targets = [first, joint];
  const { stderr } = await run({ targets, verbose: true });
  const node = harness.service.nodes.find((url) => stderr.includes(`base URL ${url}`));
  expect(node).toBeDefined();
  expect(stderr).toMatch(/^GET \/at-home\/server\/\{id\}: .*503.* Next attempt in \d+ ms\.$/m);
  expect(stderr).toMatch(/^waiting until .*: cooldown requested by the service$/m);
  expect(stderr).toMatch(/: page 2, attempt 1: /);
  expect(stderr).toMatch(/: page 2: next attempt in \d+ ms$/m);
});

test('while a download is planned, its listener hears what is being done', async () => {
  const activities: string[] = [];
  await harness.command(async (context) => {
    const given = { output: harness.output };
    const request = downloadRequest([parseTarget(first)], given, context.settings);
    const onActivity = (activity: string) => void activities.push(activity);
    const listeners = { observe: () => undefined, onActivity };
    await planDownload(context, request, listeners, context.signal);
    return 0;
  });
  expect(activities).toEqual(['resolving', 'scanning']);
});
