import type { EntryCall } from '../../../../src/service/login/keychain-process.js';
import { systemKeychains } from '../../../../src/service/keychain.js';
import { virtualClock } from '../../../support/virtual-clock.js';

/** Fails the first calls with these messages, then answers with an entry; a missing message is a call without an answer. */
function failingProcess(...messages: readonly (string | undefined)[]) {
  const calls: EntryCall[] = [];
  let stops = 0;
  return {
    calls,
    stops: () => stops,
    call(call: EntryCall): Promise<unknown> {
      const at = calls.push(call) - 1;
      if (at >= messages.length) return Promise.resolve([97]);
      const message = messages[at];
      if (message === undefined) return new Promise(() => undefined);
      return Promise.reject(new Error(`Platform failure: DBus error: ${message}`));
    },
    stop() {
      stops += 1;
    },
  };
}

const clock = virtualClock();

test.each([
  'Did not receive a reply.',
  "Can't find session /org/freedesktop/secrets/session/88",
  'Client public key size is invalid',
  'Crypto error: Unpad Error',
  'Connection was disconnected from message bus',
])('a call that fails with %s is made again', async (message) => {
  const process = failingProcess(message, message);
  const keychain = systemKeychains(clock, undefined, process)('tankobon');
  expect(await keychain.get('login')).toEqual(Uint8Array.of(97));
  expect(process.calls).toHaveLength(3);
});

test('a call without an answer is reported once, and ends; the next calls fail at once, in each keychain of the command', async () => {
  const process = failingProcess(undefined, undefined);
  const notices: string[] = [];
  const open = systemKeychains(clock, (message) => notices.push(message), process);
  const [login, hooks] = [open('tankobon'), open('tankobon hooks')];
  const calls = await Promise.allSettled([login.get('login'), login.get('a'), hooks.get('komga')]);
  for (const call of calls) {
    expect(call).toMatchObject({ reason: { code: 'keychain-timeout', exitCode: 7 } });
  }
  expect(notices).toEqual(['Waiting for the keychain, for at most 30 s.']);
  expect([process.calls.length, process.stops()]).toEqual([1, 1]);
  // The run may be a long one: later the keychain is tried again.
  await clock.sleep(60_000);
  await expect(login.get('login')).rejects.toMatchObject({ code: 'keychain-timeout' });
  expect(notices).toHaveLength(1);
  await clock.sleep(60_000);
  expect(await login.get('login')).toEqual(Uint8Array.of(97));
});

test('what was not stored as it was written is written again', async () => {
  const written: unknown[] = [];
  const replies = [undefined, [98], undefined, [97]];
  const process = {
    call: ({ method, value }: EntryCall) => {
      if (method === 'setSecret') written.push(value);
      return Promise.resolve(replies.shift());
    },
    stop: () => undefined,
  };
  await systemKeychains(clock, undefined, process)('tankobon').set('login', Uint8Array.of(97));
  expect(written).toEqual([Uint8Array.of(97), Uint8Array.of(97)]);
});

test.each([
  ['Failed to connect to socket /run/user/0/bus: No such file or directory', 'no-keychain'],
  ['The name org.freedesktop.secrets was not provided by any .service files', 'no-keychain'],
  ['No result found', 'no-keychain'],
  ['Prompt dismissed', 'keychain-locked'],
  ['createDLGroup failed: maybe libqca-ossl is missing', 'keychain-failed'],
])('a keychain that fails with %s is the error %s', async (message, code) => {
  const keychain = systemKeychains(clock, undefined, failingProcess(message))('tankobon');
  await expect(keychain.delete('login')).rejects.toMatchObject({ code, exitCode: 7 });
});

test('what an unknown failure says is shown, and a missing keyring is no reason to start another keychain', async () => {
  const failed = (message: string) =>
    systemKeychains(clock, undefined, failingProcess(message))('tankobon').get('login');
  await expect(failed('createDLGroup failed')).rejects.toThrow(/keychain failed:.*createDLGroup/);
  const hint: unknown = expect.not.stringContaining('Start one');
  await expect(failed('No result found')).rejects.toMatchObject({ hint });
});
