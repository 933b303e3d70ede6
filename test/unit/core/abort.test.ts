/** Streams that end with a signal. */
import { getEventListeners, once } from 'node:events';
import { Readable } from 'node:stream';
import { destroyOnAbort } from '../../../src/core/abort.js';

const silent = () => new Readable({ read: () => undefined });

test('all streams of a signal are destroyed with its reason', async () => {
  const controller = new AbortController();
  const streams = [silent(), silent(), silent()];
  for (const stream of streams) destroyOnAbort(stream, controller.signal);
  const errors = Promise.all(streams.map((stream) => once(stream, 'error')));
  const reason = new Error('stopped');
  controller.abort(reason);
  expect(await errors).toEqual([[reason], [reason], [reason]]);
});

test('the streams of a signal share one listener, which goes with the last of them', async () => {
  const { signal } = new AbortController();
  const listeners = () => getEventListeners(signal, 'abort').length;
  const streams = Array.from({ length: 20 }, silent);
  for (const stream of streams) destroyOnAbort(stream, signal);
  expect(listeners()).toBe(1);
  for (const stream of streams) {
    expect(listeners()).toBe(1);
    stream.destroy();
    await once(stream, 'close');
  }
  expect(listeners()).toBe(0);
  const last = silent();
  destroyOnAbort(last, signal);
  expect(listeners()).toBe(1);
  last.destroy();
});

test('after an abort a stream is destroyed at once', async () => {
  const stream = silent();
  destroyOnAbort(stream, AbortSignal.abort(new Error('stopped')));
  expect(stream.destroyed).toBe(true);
  await expect(once(stream, 'data')).rejects.toThrow('stopped');
});

test('a reason that is not an error ends a stream with one', async () => {
  const controller = new AbortController();
  const stream = silent();
  destroyOnAbort(stream, controller.signal);
  const ended = Promise.race([once(stream, 'error'), once(stream, 'close')]);
  controller.abort(null);
  expect(await ended).toEqual([expect.objectContaining({ message: 'Aborted.', cause: null })]);
});

test('a stream without a signal is left alone', () => {
  const stream = silent();
  destroyOnAbort(stream, undefined);
  expect(stream.listenerCount('close')).toBe(0);
});
