import { killSync } from '../../support/killed-sync.js';

test('a sync that is killed three times ends with every chapter once, and all in the history', async () => {
  await killSync(3, 300, 1_500);
});
