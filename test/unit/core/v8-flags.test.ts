/** The flags that the program sets for its process. */
import { cachedDataVersionTag } from 'node:v8';
import { resetFlags, setFlag, underDefaultFlags } from '../../../src/core/v8-flags.js';

afterEach(resetFlags);

test('a flag has its last value again after code was loaded under the default one', () => {
  const defaults = cachedDataVersionTag();
  const set = (percent: number) => {
    setFlag(`--heap-growing-percent=${percent}`, '--heap-growing-percent=0');
  };
  set(150);
  const first = cachedDataVersionTag();
  set(30);
  set(150);
  expect(underDefaultFlags(cachedDataVersionTag)).toBe(defaults);
  expect(cachedDataVersionTag()).toBe(first);
});
