/** What is printed holds no secret, whichever way an answer quotes it, and JSON stays JSON. */
import fc from 'fast-check';
import { Redactor, redactorFor } from '../../../src/core/redactor.js';
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

describe('a fixed sentence of our own', () => {
  const SENTENCE = 'error: The username or the password is wrong.';
  const keeping = (...secrets: readonly string[]): Redactor => {
    const redactor = knowing(...secrets);
    redactor.keep(SENTENCE);
    return redactor;
  };

  test('is shown whole, although the secret is a word of it', () => {
    for (const secret of ['wrong', 'error', 'password', 'username or the password is'])
      expect(keeping(secret).redact(SENTENCE)).toBe(SENTENCE);
  });

  test('keeps nothing else: an echo beside it is hidden', () => {
    expect(keeping('wrong').redact(`${SENTENCE} Got: wrong`)).toBe(`${SENTENCE} Got: [redacted]`);
    expect(keeping('wrong').redact('p=wrong')).toBe('p=[redacted]');
    expect(keeping('wrong').redact('The username or the password is wrong')).toContain(
      '[redacted]',
    );
  });

  test('is hidden where a secret reaches beyond it', () => {
    const secret = `${SENTENCE} and more`;
    expect(keeping(secret).redact(`Got: ${secret}!`)).toBe('Got: [redacted]!');
    expect(keeping('wrong.x').redact(`${SENTENCE}x`)).toBe(
      'error: The username or the password is [redacted]',
    );
  });
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

test('a line of JSON stays one, and loses nothing but secrets', () => {
  const value = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.double(), fc.boolean()));
  fc.assert(
    fc.property(value, fc.string({ unit: codePoint, minLength: 4 }), (event, secret) => {
      const line = `${JSON.stringify({ ...event, said: `<${secret}\u009b\u202e>` })}\n`;
      const safe = safeText(line, knowing(secret, 'true', '1234'));
      const read = JSON.parse(safe) as Record<string, unknown>;
      expect(read['said'] === undefined || read['said'] !== `<${secret}>`).toBe(true);
      expect(safe).not.toMatch(/[\u0080-\u009f\u202e]/);
    }),
  );
  expect(safeText('{"a":1234,"b":"1234"}', knowing('1234'))).toBe('{"a":1234,"b":"[redacted]"}');
  expect(safeText('{"a":"\u202eb"}', knowing())).toBe('{"a":"\\u202eb"}');
});
