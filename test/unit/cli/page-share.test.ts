/** How far a bar is within the pages that are being loaded. */
import { PageShare } from '../../../src/cli/output/speed.js';

test('bytes move the bar before the first page is there', () => {
  const share = new PageShare();
  share.add(250_000);
  expect(share.partialPages(10)).toBe(0.25);
});

test('pages in progress are measured by the size of those that are there', () => {
  const share = new PageShare();
  share.add(100_000);
  share.addPage(100_000);
  expect(share.partialPages(9)).toBe(0);
  share.add(25_000);
  expect(share.partialPages(9)).toBe(0.25);
});

test('the bar never shows a page that is not there as whole', () => {
  const share = new PageShare();
  share.add(100_000);
  share.addPage(100_000);
  share.add(900_000);
  expect(share.partialPages(1)).toBe(0.9);
  expect(share.partialPages(0)).toBe(0);
});

test('a page of which no bytes were counted, as one that was kept, moves nothing else', () => {
  const share = new PageShare();
  share.addPage(undefined);
  expect(share.partialPages(3)).toBe(0);
  share.addPage(50_000);
  expect(share.partialPages(2)).toBe(0);
  share.add(25_000);
  expect(share.partialPages(2)).toBe(0.5);
});
