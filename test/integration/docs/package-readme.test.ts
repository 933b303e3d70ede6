/** The README of the tarball works on a package page: absolute links or none, and no picture of another file. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

test('the printed README has no relative link and no picture; the text of the links is kept', () => {
  const page = execFileSync(process.execPath, ['scripts/package-readme.js'], { encoding: 'utf8' });
  expect(page).not.toMatch(/\]\((?!https?:)/);
  expect(page).not.toMatch(/!\[|<img/);
  expect(page).toContain('[MangaDex](https://mangadex.org)');
  expect(page).toContain('Getting started');
  const lines = readFileSync('README.md', 'utf8').split('\n').length;
  expect(page.split('\n').length).toBeGreaterThan(lines - 4);
});

test('packing puts it in place, also after a pack that was killed, and restores the original', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tankobon-readme-'));
  try {
    mkdirSync(join(folder, 'scripts'));
    copyFileSync('README.md', join(folder, 'README.md'));
    copyFileSync('scripts/package-readme.js', join(folder, 'scripts/package-readme.mjs'));
    const run = (option: string) =>
      execFileSync(process.execPath, [join(folder, 'scripts/package-readme.mjs'), option]);
    const readme = () => readFileSync(join(folder, 'README.md'), 'utf8');
    const original = readme();
    run('--write');
    run('--write');
    expect(readme()).not.toMatch(/\]\((?!https?:)/);
    run('--restore');
    expect(readme()).toBe(original);
    expect(existsSync(join(folder, '.README.md.original'))).toBe(false);
    run('--restore');
    expect(readme()).toBe(original);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
