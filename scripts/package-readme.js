/**
 * The README of the tarball: a package page has no other files of the project, so relative links become text and
 * pictures are left out. `--write` puts it in place of README.md before packing, `--restore` undoes that after it;
 * without an option it is printed.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const README = fileURLToPath(new URL('../README.md', import.meta.url));
const ORIGINAL = fileURLToPath(new URL('../.README.md.original', import.meta.url));

/** Absolute links stay. */
function forPackagePage(text) {
  return text
    .replace(/^!\[[^\]]*\]\((?!https?:)[^)]*\)\n+/gm, '')
    .replace(/(?<!!)\[([^\]]+)\]\((?!https?:)[^)]*\)/g, '$1');
}

const [option] = process.argv.slice(2);
if (option === '--restore') {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, README);
} else {
  // After a pack that was killed, the original is the one beside it.
  const text = readFileSync(existsSync(ORIGINAL) ? ORIGINAL : README, 'utf8');
  if (option !== '--write') process.stdout.write(forPackagePage(text));
  else {
    writeFileSync(ORIGINAL, text);
    writeFileSync(README, forPackagePage(text));
  }
}
