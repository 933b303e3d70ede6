/** Tests that mostly wait, all at the same time: jest-light-runner runs `test.concurrent` one after the other. Each shares nothing with the others. They run before the first test, which then shows how its own ended. */
export function testConcurrently(
  tests: Readonly<Record<string, () => Promise<void>>>,
  { concurrency = 5 } = {},
): void {
  const titles = Object.keys(tests);
  const errors = new Map<string, unknown>();
  beforeAll(async () => {
    const left = Object.entries(tests);
    const runAll = async (): Promise<void> => {
      for (let next = left.shift(); next; next = left.shift()) {
        const [title, run] = next;
        await run().catch((error: unknown) => errors.set(title, error));
      }
    };
    await Promise.all(Array.from({ length: concurrency }, runAll));
  });
  test.each(titles)('%s', (title) => {
    if (errors.has(title)) throw errors.get(title);
  });
}
