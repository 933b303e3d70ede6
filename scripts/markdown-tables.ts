/** Tables of the generated pages. */

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** `<` would begin an HTML element outside of code. */
function escapeCell(text: string): string {
  const parts = text.replaceAll('|', '\\|').split('`');
  return parts
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;')))
    .join('`');
}

export const code = (text: unknown) => `\`${String(text)}\``;

export const rowsOf = (meanings: Readonly<Record<string, string>>) =>
  Object.entries(meanings).map(([name, meaning]) => [code(name), meaning]);
