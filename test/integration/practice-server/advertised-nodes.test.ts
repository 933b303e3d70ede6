/** Nodes that clients reach through a forwarder. */
import { expect, test } from '@jest/globals';
import { generateChapter } from '../../../src/practice-server/library/library.js';
import { startPracticeService } from '../../../src/practice-server/practice-service.js';

test('base URLs have the advertised origin, and the node serves its URLs', async () => {
  const chapter = generateChapter({ pages: 1, bytesPerPage: 2_000 });
  const advertised = 'http://127.0.0.1:2';
  const service = await startPracticeService({
    chapters: [chapter],
    nodes: 1,
    advertisedNodes: [advertised],
  });
  try {
    const agent = { headers: { 'user-agent': 'a test' } };
    const { apiUrl } = service.addresses;
    const answer = await fetch(`${apiUrl}/at-home/server/${chapter.id}`, agent);
    const { baseUrl } = (await answer.json()) as { baseUrl: string };
    expect(baseUrl.startsWith(`${advertised}/`)).toBe(true);
    const path = baseUrl.slice(advertised.length);
    const [page] = chapter.pages('data');
    const address = `${service.nodes[0] ?? ''}${path}/data/${chapter.hash}/${page?.fileName ?? ''}`;
    const load = await fetch(address, agent);
    expect(load.status).toBe(200);
    expect(Buffer.from(await load.arrayBuffer()).equals(page?.bytes() ?? Buffer.alloc(0))).toBe(
      true,
    );
  } finally {
    await service.stop();
  }
});
