/** Descriptions of titles as plain text. */
import fc from 'fast-check';
import { plainSummary } from '../../../src/library/comic-info/plain-summary.js';

test.each([
  ['A story.\n\n---\n\n**Links:**\n- [Raw](https://example.org)', 'A story.'],
  ['A story.\r\n  -----  \r\nWon an award.', 'A story.'],
  ['---\nOnly credits.', ''],
  ['One -- two --- three', 'One -- two --- three'],
  ['No separator.\n--', 'No separator.\n--'],
])('%j ends before the first line of ---', (description, summary) => {
  expect(plainSummary(description)).toBe(summary);
});

describe('Markdown', () => {
  test.each([
    [
      '**Bold**, *italic*, ***both***, __bold__ and _italic_',
      'Bold, italic, both, bold and italic',
    ],
    ['snake_case_name and 2 * 3 * 4 = 24', 'snake_case_name and 2 * 3 * 4 = 24'],
    ['See [the site](https://example.org "title") now', 'See the site now'],
    ['![cover](https://example.org/a.jpg)', 'cover'],
    ['<https://example.org>', 'https://example.org'],
    ['# Heading\ntext\n## Second', 'Heading\ntext\nSecond'],
    ['> quoted\n>> twice', 'quoted\ntwice'],
    ['* one\n+ two\n- three', '- one\n- two\n- three'],
    ['~~gone~~ ||spoiler|| `code`', 'gone spoiler code'],
    ['\\*not emphasis\\* and 1\\. one', '*not emphasis* and 1. one'],
    ['first<br>second<br/>third', 'first\nsecond\nthird'],
    ['```text\nverse\n```', 'verse'],
    ['C# and #1, 5 > 3, ~100 ✱ 二人', 'C# and #1, 5 > 3, ~100 ✱ 二人'],
  ])('%j becomes %j', (markdown, text) => {
    expect(plainSummary(markdown)).toBe(text);
  });

  test('text without marks is unchanged', () => {
    const word = fc.string({ unit: fc.constantFrom(...Array.from('abc äß二,.!?:;\'"0189')) });
    fc.assert(
      fc.property(word, (text) => {
        expect(plainSummary(text)).toBe(text.trim());
      }),
    );
  });

  test('any text gives no more characters than it has, and long runs of marks end', () => {
    const marks = fc.string({
      unit: fc.constantFrom(...Array.from('*_~|`[]()!\\<>#- \nab')),
      maxLength: 300,
    });
    fc.assert(
      fc.property(marks, (text) => {
        expect(plainSummary(text).length).toBeLessThanOrEqual(text.length);
      }),
    );
    for (const mark of '*_~|`[(!\\<#>-') plainSummary(mark.repeat(20_000));
    for (const mark of ['[a](', '**a ', '_a ', '||a ']) plainSummary(mark.repeat(5_000));
  });
});
