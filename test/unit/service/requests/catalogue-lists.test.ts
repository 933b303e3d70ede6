/** The titles of a group or an author, where there are more than the service lists. */
import { fetchOwnedTitles } from '../../../../src/service/feeds.js';
import type { ApiRequest, ServiceClient } from '../../../../src/service/client.js';
import { uuidOf } from '../../../../src/practice-server/library/library.js';

test('more than the service lists is an error that says so, and no request reaches beyond', async () => {
  let lastEnd = 0;
  const client = {
    api: async <T>({ query = new URLSearchParams(), parser }: ApiRequest<T>): Promise<T> => {
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
      lastEnd = offset + limit;
      const data = Array.from({ length: limit }, (_, index) => ({
        id: uuidOf('title', String(offset + index)),
        type: 'manga',
        attributes: { title: { en: 'x' } },
        relationships: [],
      }));
      return (await parser())({ result: 'ok', data, total: 10_001 });
    },
  } as unknown as ServiceClient;
  await expect(fetchOwnedTitles(client, 'group', 'the-group', {})).rejects.toMatchObject({
    code: 'bad-response',
    message: 'MangaDex lists only the first 10,000 titles of group:the-group.',
    hint: expect.stringContaining('list:UUID'),
  });
  expect(lastEnd).toBe(10_000);
});
