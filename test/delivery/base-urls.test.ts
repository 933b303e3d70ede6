import { beforeEach, expect, test } from '@jest/globals';
import { BaseUrls, type DeliveryMetadata } from '../../src/delivery/at-home.js';
import type { Clock } from '../../src/kernel/clock.js';

let nowMs = 0;
let calls = 0;
const clock: Clock = {
  wallMs: () => nowMs,
  monotonicMs: () => nowMs,
  sleep: () => Promise.resolve(),
};
const metadata = (baseUrl: string): DeliveryMetadata => ({
  baseUrl,
  hash: 'h',
  data: ['1.png'],
  dataSaver: [],
});
const ask = () => {
  calls += 1;
  return Promise.resolve(metadata(`https://node-${calls}.example`));
};
const MINUTE_MS = 60_000;

beforeEach(() => {
  nowMs = 0;
  calls = 0;
});

test('a base URL is used without asking again while it is young', async () => {
  const baseUrls = new BaseUrls(metadata('https://first.example'), 0, ask, clock);
  nowMs = 13.9 * MINUTE_MS;
  expect((await baseUrls.current()).url).toBe('https://first.example');
  expect(calls).toBe(0);
});

test('a base URL near its 15 minutes is renewed before use, once for all who ask', async () => {
  const baseUrls = new BaseUrls(metadata('https://first.example'), 0, ask, clock);
  nowMs = 14.1 * MINUTE_MS;
  const [a, b] = await Promise.all([baseUrls.current(), baseUrls.current()]);
  expect(a.url).toBe('https://node-1.example');
  expect(b).toBe(a);
  expect(calls).toBe(1);
});

test('many pages that fail at once make one metadata call, and the next failure one more', async () => {
  const baseUrls = new BaseUrls(metadata('https://first.example'), 0, ask, clock);
  const first = await baseUrls.current();
  const renewed = await Promise.all(Array.from({ length: 20 }, () => baseUrls.after(first)));
  expect(new Set(renewed.map(({ generation }) => generation))).toEqual(new Set([2]));
  expect(calls).toBe(1);
  expect((await baseUrls.after(first)).generation).toBe(2);
  expect(calls).toBe(1);
  const second = await baseUrls.current();
  expect((await baseUrls.after(second)).generation).toBe(3);
  expect(calls).toBe(2);
});

test('a metadata call that fails is told to all who wait for it, and the next one asks anew', async () => {
  let broken = true;
  const baseUrls = new BaseUrls(
    metadata('https://first.example'),
    0,
    () => (broken ? Promise.reject(new Error('down')) : ask()),
    clock,
  );
  const first = await baseUrls.current();
  await expect(Promise.all([baseUrls.after(first), baseUrls.after(first)])).rejects.toThrow('down');
  broken = false;
  expect((await baseUrls.after(first)).generation).toBe(2);
});
