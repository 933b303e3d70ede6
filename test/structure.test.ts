/** The house: imports go down the floors, never up, and never in a circle. */
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));

/** Folders of one floor do not know each other. `demo` stands beside the house, on the kernel alone. */
const FLOORS: Readonly<Record<string, number>> = {
  cli: 5,
  '.': 5,
  download: 4,
  delivery: 3,
  reports: 3,
  catalogue: 3,
  auth: 2,
  archive: 2,
  service: 1,
  kernel: 0,
};

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
  .map((name) => name.replaceAll('\\', '/'));

/** What each file imports of the project's own, as paths below src, whether at the top or when needed. */
const imports = new Map(
  files.map((file) => {
    const text = readFileSync(join(SOURCE, file), 'utf8');
    const found = [...text.matchAll(/(?:from\s+|import\s*\(\s*|import\s+)'(\.{1,2}\/[^']+)\.js'/g)];
    const targets = found.map(([, path]) =>
      relative(SOURCE, join(SOURCE, dirname(file), path ?? '')).replaceAll('\\', '/'),
    );
    return [file, targets.map((target) => `${target}.ts`)] as const;
  }),
);

const room = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '.');

test('every import leads to a file of the project', () => {
  for (const [file, targets] of imports) {
    for (const target of targets)
      expect({ file, target, there: files.includes(target) }).toEqual({
        file,
        target,
        there: true,
      });
  }
});

test('imports go down the floors, and floor mates do not know each other', () => {
  const upward: string[] = [];
  for (const [file, targets] of imports) {
    const from = room(file);
    if (from === 'demo') continue;
    for (const target of targets) {
      const to = room(target);
      if (to === from || (from === '.' && to !== 'demo')) continue;
      if (to === 'demo' ? from !== 'cli' : (FLOORS[to] ?? 99) >= (FLOORS[from] ?? -1))
        upward.push(`${file} → ${target}`);
    }
  }
  expect(upward).toEqual([]);
});

test('the practice service knows the kernel and itself alone, so that it can judge the client', () => {
  const known = [...imports]
    .filter(([file]) => room(file) === 'demo')
    .flatMap(([file, targets]) => targets.map((target) => ({ file, to: room(target) })));
  expect(known.filter(({ to }) => to !== 'demo' && to !== 'kernel')).toEqual([]);
});

test('no circle of imports', () => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});
