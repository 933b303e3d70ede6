/** What a person sees first: the README and its picture. */
import { readFileSync } from 'node:fs';
import { commandTree } from '../../../src/cli/program.js';
import { recipesOf } from '../../support/recipes.js';

const readme = readFileSync('README.md', 'utf8');
const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}|UUID/;

test('it says what the program does and shows it, then installs it, then searches', () => {
  const order = ['![A running download', 'npm install --global', 'tankobon search'];
  const positions = order.map((text) => readme.indexOf(text));
  expect(positions).toEqual([...positions].sort((a, b) => a - b));
  expect(positions[0]).toBeGreaterThan(0);
});

test('the first example has no UUID and needs no other program', () => {
  expect(blocks[0]).not.toMatch(UUID);
  expect(blocks.join('')).not.toContain('jq');
});

test('its commands can be pasted: each is run by a test, without placeholders, and without comments, which zsh passes on', () => {
  const recipes = recipesOf('README.md');
  expect(recipes).toHaveLength(blocks.length);
  expect(recipes.filter(({ notRun }) => notRun !== undefined)).toEqual([]);
  for (const { script } of recipes) expect(script).not.toMatch(/[<#]/);
});

test('the picture names skipped chapters by number', () => {
  const picture = readFileSync('docs/images/at-work.svg', 'utf8').replace(/<[^>]*>\n?/g, ' ');
  const skipped = picture.split('skipped:').slice(1);
  expect(skipped.length).toBeGreaterThan(0);
  for (const text of skipped) expect(text).toMatch(/^[^:]* Ch\. \d|Ch\. \d+ is only/);
  expect(picture).not.toMatch(UUID);
});

test('every command of the README exists, with its options', () => {
  const lines = blocks.flatMap((block) => block.split('\n'));
  const commands = lines.flatMap((line) => /^tankobon ([a-z].*?)(?: +#.*)?$/.exec(line)?.[1] ?? []);
  expect(commands.length).toBeGreaterThan(6);
  for (const words of commands.map((text) => text.split(/\s+/))) {
    let command = commandTree();
    for (const word of words)
      command = command.commands.find((sub) => sub.name() === word) ?? command;
    if (command.parent === null) continue;
    const flags = words.filter((word) => word.startsWith('--'));
    const known = [...command.options, ...command.parent.options].map(({ long }) => long);
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
  }
});
