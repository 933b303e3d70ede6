/** Every error code is documented, and expected by its code in at least one test. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { ERROR_CODES } from '../../../src/core/error-codes.js';
import { LOAD_REASONS } from '../../../src/events/reasons.js';

const CODES = [...new Set([...Object.keys(ERROR_CODES), ...Object.keys(LOAD_REASONS)])].sort();
const TESTS = fileURLToPath(new URL('../..', import.meta.url));
const THIS_FILE = join('unit', 'core', 'error-codes.test.ts');

/** The first function of a chain such as `expect(a).not.toBe(b)`. */
function startOf(chain: ts.Expression): string {
  if (ts.isCallExpression(chain) || ts.isPropertyAccessExpression(chain)) {
    return startOf(chain.expression);
  }
  return ts.isIdentifier(chain) ? chain.text : '';
}

/** A chain that starts with `expect` or a function such as `expectRefusal`. */
const isAssertion = (node: ts.Node) =>
  ts.isCallExpression(node) && startOf(node).startsWith('expect');

/** The cases of `test.each` and `describe.each`. */
const isTableOfCases = (node: ts.Node) =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  node.expression.name.text === 'each';

const isKey = (node: ts.Node) => ts.isPropertyAssignment(node.parent) && node.parent.name === node;

/**
 * The strings that a test expects: those in an assertion, in a table of cases, or in a constant array or object that
 * one of these refers to. Object keys and comments do not count.
 */
function expectedStrings(text: string): ReadonlySet<string> {
  const file = ts.createSourceFile('a.test.ts', text, ts.ScriptTarget.Latest, true);
  const strings = new Set<string>();
  const names = new Set<string>();
  const collect = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && !isKey(node)) strings.add(node.text);
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, collect);
  };
  const search = (node: ts.Node): void => {
    if (isAssertion(node) || isTableOfCases(node)) collect(node);
    else ts.forEachChild(node, search);
  };
  search(file);
  for (const { name, initializer } of file.statements.flatMap(constantsOf)) {
    if (ts.isIdentifier(name) && names.has(name.text)) collect(initializer);
  }
  return strings;
}

function constantsOf(statement: ts.Statement) {
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
    initializer &&
    (ts.isArrayLiteralExpression(initializer) || ts.isObjectLiteralExpression(initializer))
      ? [{ name, initializer }]
      : [],
  );
}

/** The codes that no other test expects. */
function unexpectedIn(codes: readonly string[]): readonly string[] {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.test.ts') && name !== THIS_FILE,
  );
  const left = new Set(codes);
  for (const name of files) {
    const text = readFileSync(join(TESTS, name), 'utf8');
    // Parsing all tests would take a second.
    if (![...left].some((code) => text.includes(`'${code}'`))) continue;
    for (const code of expectedStrings(text)) left.delete(code);
  }
  return [...left];
}

test('every code and every reason is expected by another test', () => {
  expect(unexpectedIn([...CODES, 'an-invented-code'])).toEqual(['an-invented-code']);
});

test('docs/troubleshooting.md lists exactly the codes and the reasons of failed loads', () => {
  const page = readFileSync(join(TESTS, '..', 'docs', 'troubleshooting.md'), 'utf8');
  const listed = [
    ...page.slice(page.indexOf('## Errors by code')).matchAll(/^\| `([^`]+)` +\|/gm),
  ].map(([, code]) => code);
  expect([...new Set(listed)].sort()).toEqual(CODES);
});

describe('counts as expected', () => {
  test.each([
    `expect(error.code).toBe('a-code');`,
    `await expect(act()).rejects.toMatchObject({ code: 'a-code' });`,
    `test('x', () => { expect(hasCode(thrown, 'a-code')).toBe(true); });`,
    `await expectRefusal('a-code');`,
    `test.each([['reset', 'a-code']])('%s', (_, code) => { expect(thrown()).toBe(code); });`,
    `const CASES = { reset: ['a-code'] };\nexpect(CASES[name]).toContain(reason);`,
  ])('%s', (text) => {
    expect([...expectedStrings(text)]).toContain('a-code');
  });
});

describe('does not count', () => {
  test.each([
    `// 'a-code'\nexpect(1).toBe(1);`,
    `expect(1).toBe(1 /* 'a-code' */);`,
    `expect(1).toBe(1); // 'a-code'`,
    `test('a-code', () => { expect(1).toBe(1); });`,
    `service.injectPageFaults({ fault: 'a-code' });\nexpect(1).toBe(1);`,
    `expect(error).toMatchObject({ message: 'It is a-code.' });`,
    `const CASES = { 'a-code': [1] };\nexpect(CASES[name]).toBe(1);`,
    `const CASES = { reset: ['a-code'] };\nexpect(1).toBe(1);`,
  ])('%s', (text) => {
    expect([...expectedStrings(text)]).not.toContain('a-code');
  });
});
