/** A text of the service holds no secret, whichever way it quotes it; and what is printed stays JSON. */
import fc from 'fast-check';
import { redactorFor } from '../../../src/config/environment.js';
import { Redactor } from '../../../src/core/redactor.js';
import { hideUserInfo } from '../../../src/core/web-address.js';
import { safeText } from '../../../src/cli/output/safe-stream.js';
import { codePoint } from '../../support/any-text.js';

const knowing = (...secrets: readonly string[]): Redactor => {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor;
};
const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJyZWFkZXIifQ.c2lnbmF0dXJl';

describe('a secret', () => {
  test.each([
    ['as it is', 'no: turn the page!', 'no: [redacted]!'],
    ['twice', 'turn the page, turn the page', '[redacted], [redacted]'],
    ['as in a URL', 'p=turn%20the%20page', 'p=[redacted]'],
    ['as in a form', 'p=turn+the+page', 'p=[redacted]'],
  ])('is hidden %s', (_how, text, shown) => {
    expect(knowing('turn the page').redact(text)).toBe(shown);
  });

  test('is hidden where a message cuts it', () => {
    const redactor = knowing(TOKEN);
    expect(redactor.redact(`Bearer ${TOKEN.slice(0, 30)}…`)).toBe('Bearer [redacted]…');
    expect(redactor.redact(`…${TOKEN.slice(-30)} was refused`)).toBe('…[redacted] was refused');
  });

  test('of fewer than four characters would hide everything, and is not looked for', () => {
    expect(knowing('', 'a', 'abc').redact('abc and a')).toBe('abc and a');
  });

  test('leaves no part of sixteen characters in any text', () => {
    const secrets = fc.string({ minLength: 4, maxLength: 60 });
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), fc.nat(40), (secret, before, after, cut) => {
        const quoted = secret.length - cut >= 16 ? secret.slice(0, secret.length - cut) : secret;
        const shown = knowing(secret).redact(`${before}${quoted}${after}`);
        for (let at = 0; at + 16 <= secret.length; at += 1) {
          expect(shown).not.toContain(secret.slice(at, at + 16));
        }
        if (!'[redacted]'.includes(secret)) expect(shown.split('[redacted]')).not.toContain(secret);
      }),
    );
  });
});

test('the latest tokens are hidden, and every other secret however many tokens came after it', () => {
  const redactor = knowing('turn the page');
  const tokens = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXY', (letter) => letter.repeat(40));
  const [first = '', second = ''] = tokens;
  redactor.addToken(first);
  for (const token of tokens.slice(1, 10)) redactor.addToken(token);
  // Used again, as by a command that reads the stored login.
  redactor.addToken(first);
  for (const token of tokens.slice(10, 25)) redactor.addToken(token);
  expect(redactor.redact(`turn the page, ${first}`)).toBe('[redacted], [redacted]');
  expect(redactor.redact(tokens[24] ?? '')).toBe('[redacted]');
  expect(redactor.redact(second)).toBe(second);
});

test('the environment’s secrets are known from the start', () => {
  const redactor = redactorFor({ TANKOBON_PASSWORD: 'turn the page', PATH: '/usr/bin' });
  expect(redactor.redact('turn the page in /usr/bin')).toBe('[redacted] in /usr/bin');
});

describe('user information in a URL', () => {
  test.each([
    ['https://me:word@host/path', 'https://[hidden]@host/path'],
    ['"http://me@host" is bad', '"http://[hidden]@host" is bad'],
    ['https://a:b@c@host', 'https://[hidden]@host'],
    ['https://host/@me', 'https://host/@me'],
    ['me@host.example', 'me@host.example'],
  ])('%s is shown as %s', (text, shown) => {
    expect(new Redactor().redact(text)).toBe(shown);
  });
});

test('a line of JSON stays one, and loses nothing but user information', () => {
  const value = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.double(), fc.boolean()));
  fc.assert(
    fc.property(value, fc.string({ unit: codePoint }), (event, text) => {
      const said = `<${text}>`;
      const line = `${JSON.stringify({ ...event, said: `${said}\u009b\u202e` })}\n`;
      const safe = safeText(line);
      expect(safe).not.toMatch(/[\u0080-\u009f\u202e]/);
      expect(JSON.parse(safe)).toMatchObject({ said: `${hideUserInfo(said)}\u009b\u202e` });
    }),
  );
  expect(safeText('{"a":"http://me:word@host","b":"c@d"}')).toBe(
    '{"a":"http://[hidden]@host","b":"c@d"}',
  );
  expect(safeText('{"a":"\u202eb"}')).toBe('{"a":"\\u202eb"}');
});
