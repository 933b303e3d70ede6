/** What all charts share: their colours, by light and by dark, and their text. */

export const WIDTH = 760;

/** Classes of a chart. It follows the colour scheme of the viewer. */
const STYLE = `
  text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2933 }
  .title { font-size: 17px; font-weight: 600 }
  .quiet { fill: #616e7c; font-size: 12px }
  .paper { fill: #ffffff }
  .bar { fill: #b8c2cc }
  .ours { fill: #c2410c }
  .dot { fill: #1f2933; opacity: 0.55 }
  .axis { stroke: #cbd2d9; stroke-width: 1 }
  .line { fill: none; stroke: #c2410c; stroke-width: 2 }
  .limit { fill: none; stroke: #616e7c; stroke-width: 1.5; stroke-dasharray: 5 4 }
  .area { fill: #2f6f9f; opacity: 0.55 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e7eb }
    .quiet { fill: #9aa5b1 }
    .paper { fill: #14181d }
    .bar { fill: #52606d }
    .ours { fill: #fb923c }
    .dot { fill: #f5f7fa; opacity: 0.65 }
    .axis { stroke: #3e4c59 }
    .line { stroke: #fb923c }
    .limit { stroke: #9aa5b1 }
    .area { fill: #7cc4fa; opacity: 0.45 }
  }`;

export function chart(height: number, title: string, content: readonly string[]): string {
  const size = `width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escaped(title)}">`,
    `<style>${STYLE}\n</style>`,
    `<rect class="paper" width="${WIDTH}" height="${height}" rx="8"/>`,
    ...content,
    '</svg>\n',
  ].join('\n');
}

export function words(
  text: string,
  at: { readonly x: number; readonly y: number; readonly end?: boolean },
  look = '',
): string {
  const anchor = at.end === true ? ' text-anchor="end"' : '';
  return `<text x="${at.x.toFixed(1)}" y="${at.y.toFixed(1)}"${anchor}${look && ` class="${look}"`}>${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
}
