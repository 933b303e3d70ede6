/** What events and messages say about a chapter: text of the service, made safe to print. */
import { webAddress } from '../../../src/core/web-address.js';
import { chapterName, describeExternal } from '../../../src/events/chapter-fields.js';

test.each([
  ['https://publisher.example/viewer/5?a=1#b', 'https://publisher.example/viewer/5?a=1#b'],
  ['http://publisher.example/5', 'http://publisher.example/5'],
  ['https://publisher.example/\u001b[31m5\u0007', 'https://publisher.example/[31m5'],
  ['https://publisher.example/\u202egnp.5', 'https://publisher.example/gnp.5'],
  ['https://publisher.example/5\nfailed: x', 'https://publisher.example/5failed:%20x'],
  ['javascript:alert(1)', undefined],
  ['java\nscript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['file:///etc/passwd', undefined],
  ['publisher.example/5', undefined],
  ['', undefined],
])('the address %j is printed as %j', (text, expected) => {
  expect(webAddress(text)).toBe(expected);
});

test('what is unknown is left out of the name', () => {
  expect(chapterName({ series: 'Alpha' })).toBe('Alpha');
  expect(chapterName({ number: '7', language: 'en' })).toBe('Ch. 7 (en)');
  expect(chapterName({ chapterTitle: 'Extra' })).toBe('"Extra"');
  expect(chapterName({ language: 'en', group: 'Scans' })).toBeUndefined();
  expect(chapterName({})).toBeUndefined();
});

test('a chapter at its publisher is named by its number and the address', () => {
  const externalUrl = 'https://publisher.example/5';
  expect(describeExternal({ number: '5', externalUrl })).toBe(
    "Ch. 5 is only on the publisher's site: https://publisher.example/5",
  );
  expect(describeExternal({ series: 'Alpha', externalUrl })).toBe(
    "Alpha: The chapter is only on the publisher's site: https://publisher.example/5",
  );
  expect(describeExternal({ number: '5\n6' })).toBe("Ch. 5 6 is only on the publisher's site");
});
