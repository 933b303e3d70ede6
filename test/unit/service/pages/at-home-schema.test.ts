import { atHomeSchema } from '../../../../src/service/pages/at-home-schema.js';

test('too many names are one issue, and the names are not validated', () => {
  let reads = 0;
  const names = new Proxy(
    Array.from({ length: 100_000 }, () => 1),
    {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    },
  );
  const read = atHomeSchema.safeParse({
    result: 'ok',
    baseUrl: 'https://node.example/token',
    chapter: { hash: 'abc', data: names, dataSaver: [] },
  });
  expect(read.error?.issues).toHaveLength(1);
  expect(reads).toBe(0);
});
