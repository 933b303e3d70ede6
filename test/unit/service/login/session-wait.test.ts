import { Session } from '../../../../src/service/login/session.js';
import { systemClock } from '../../../../src/core/clock.js';

test('a keychain that waits for its user does not hold up an aborted request', async () => {
  const unanswered = () => new Promise<never>(() => undefined);
  const session = new Session({
    credentials: {
      readForApi: unanswered,
      lock: unanswered,
      saveRenewed: unanswered,
      storePending: unanswered,
    },
    endpoint: { postTokenForm: unanswered },
    clock: systemClock,
  });
  const abort = new AbortController();
  const token = session.getToken(abort.signal);
  abort.abort(new Error('Interrupted by the test.'));
  await expect(token).rejects.toThrow('Interrupted by the test.');
});
