/** The items of a comma-separated list; a quoted item can contain commas. */
export function commaSeparated(text: string): string[] {
  const items = [...text.matchAll(/\s*(?:"([^"]*)"|([^,]*))\s*(?:,|$)/g)];
  return items
    .map(([, quoted, plain]) => (quoted ?? plain ?? '').trim())
    .filter((item) => item !== '');
}
