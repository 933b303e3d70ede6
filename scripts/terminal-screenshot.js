/**
 * Draws what a terminal shows after some seconds of a real run, as an SVG:
 *   node scripts/terminal-screenshot.js out.svg 80 14 4.5 'tankobon demo'
 * Needs tmux. Ends the terminal that it opened.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const [file, columns, rows, seconds, command] = process.argv.slice(2);
const session = `screenshot-${process.pid}`;
const tmux = (...words) => execFileSync('tmux', words, { encoding: 'utf8' });

tmux('new-session', '-d', '-s', session, '-x', columns, '-y', rows, 'env', 'PS1=$ ', 'sh');
try {
  tmux('send-keys', '-t', session, 'clear', 'Enter');
  await delay(500);
  tmux('send-keys', '-t', session, command, 'Enter');
  await delay(Number(seconds) * 1_000);
  const lines = tmux('capture-pane', '-p', '-t', session).replace(/\s+$/, '').split('\n');
  writeFileSync(file, toSvg(lines, Number(columns)));
} finally {
  tmux('kill-session', '-t', session);
}

function toSvg(lines, width) {
  const letter = { width: 8.4, height: 18 };
  const size = {
    width: Math.ceil(width * letter.width + 32),
    height: lines.length * letter.height + 52,
  };
  const escaped = (text) =>
    text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]);
  const text = lines.map(
    (line, index) =>
      `<text x="16" y="${50 + index * letter.height}" xml:space="preserve">${escaped(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">
<rect width="100%" height="100%" rx="8" fill="#1b1f27"/>
<g fill="#5b6270"><circle cx="20" cy="18" r="6"/><circle cx="40" cy="18" r="6"/><circle cx="60" cy="18" r="6"/></g>
<g fill="#d7dce5">
${text.join('\n')}
</g>
</svg>
`;
}
