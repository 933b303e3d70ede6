/** The service's id of a request that failed is shown, since its staff asks for it. */
import { uuidOf } from '../../../src/practice-server/library/library.js';
import { DownloadHarness } from '../../support/download-harness.js';

let harness: DownloadHarness;
afterEach(() => harness.stop());

test.each(['chapter', 'title', 'list'])(
  'a %s that is not found: the message has the id of the last refusal',
  async (kind) => {
    harness = await DownloadHarness.start();
    const targets = [`https://mangadex.org/${kind}/${uuidOf('nowhere')}`];
    const { code, stderr } = await harness.download({ targets, json: false });
    expect(code).toBe(3);
    // The last request may be the one that only shows that the service has a catalogue.
    const requestId = harness.service.log.findLast(
      ({ path, requestId: given }) => given && !path.startsWith('/at-home/'),
    )?.requestId;
    expect(requestId).toBeDefined();
    expect(stderr).toContain(` (X-Request-ID: ${requestId ?? ''})`);
  },
);
