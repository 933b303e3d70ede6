/** Every error and warning is one sentence of what happened; what to do is its hint, on a line of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { Redactor } from '../../../src/core/redactor.js';
import { errorMessage, warningMessage } from '../../../src/cli/output/error-message.js';
import { ERROR_CODES } from '../../../src/core/error-codes.js';
import { UsageError } from '../../../src/core/errors.js';

const LITERAL = String.raw`(\x60(?:[^\x60\\]|\\.)*\x60|'(?:[^'\\]|\\.)*')`;
/** The message of an error with a code, and of a warning: one literal, or several joined by `+`. */
const MESSAGES = [
  new RegExp(
    String.raw`new \w*(?:Error|Refusal)\(\s*'[\w-]+',\s*${LITERAL}(?:\s*\+\s*${LITERAL})*`,
    'gs',
  ),
  new RegExp(
    String.raw`\b(?:warn|warningMessage)\??\.?\(\s*${LITERAL}(?:\s*\+\s*${LITERAL})*`,
    'gs',
  ),
];
const TWO_SENTENCES = /[.!?]['\x60]?\s*(?:\+\s*)?['\x60]?\s+[A-Z]/;

function messagesOf(file: string): string[] {
  const text = readFileSync(`src/${file}`, 'utf8');
  return MESSAGES.flatMap((pattern) => [...text.matchAll(pattern)].map(([match]) => match));
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !name.startsWith('practice-server'),
);

test('no message of an error or a warning has two sentences', () => {
  const messages = files.flatMap((file) => messagesOf(file).map((text) => `${file}: ${text}`));
  expect(messages.length).toBeGreaterThan(60);
  expect(messages.filter((text) => TWO_SENTENCES.test(text))).toEqual([]);
});

test('an error prints its message, then its hint; a warning its hint if it has one', () => {
  const error = new UsageError('bad-target', 'Not a target: "x"');
  expect(errorMessage(error, { env: {}, redactor: new Redactor() })).toBe(
    `error: Not a target: "x"\nhint: ${ERROR_CODES['bad-target'].hint}\n`,
  );
  expect(warningMessage('Nothing is known')).toBe('warning: Nothing is known\n');
  expect(warningMessage('Nothing is known', 'Ask.')).toBe(
    'warning: Nothing is known\nhint: Ask.\n',
  );
});
