/** The architecture: dependencies point one way, without cycles (docs/architecture.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONTAINER_NAMES } from '../../src/config/containers.js';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));

/** Each folder imports only from those above it in this list. `.` is src/index.ts. */
const LAYERS: readonly (readonly string[])[] = [
  ['core'],
  ['config', 'practice-server'],
  ['events'],
  ['service'],
  ['selection', 'library'],
  ['plan'],
  ['books'],
  ['download'],
  ['sync'],
  ['collection'],
  ['cli', '.'],
];

/** The most public files, and names that other folders use, of each folder but those that everybody uses. */
const MAX_PUBLIC: Readonly<Record<string, readonly [files: number, names: number]>> = {
  service: [16, 80],
  selection: [12, 40],
  library: [11, 60],
  plan: [7, 40],
  books: [12, 28],
  download: [11, 40],
  sync: [12, 40],
  collection: [9, 18],
  'practice-server': [3, 6],
};

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
  .map((name) => name.replaceAll('\\', '/'));

/** For each file the project files that it imports, statically or dynamically, as paths below src. */
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

/** For each file what it imports by name, as `path:name`; a whole module is `path:*`. */
const importedNames = new Map(
  files.map((file) => {
    const text = readFileSync(join(SOURCE, file), 'utf8');
    const statements = text.matchAll(
      /(?:(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*|\w+)[^;']*?\sfrom\s+|(?:(\{[^{}]*\})\s*=\s*await\s+)?import\s*\(\s*)'(\.{1,2}\/[^']+)\.js'/g,
    );
    const names = [...statements].flatMap(([, listed, awaited, path = '']) => {
      const target = relative(SOURCE, join(SOURCE, dirname(file), path)).replaceAll('\\', '/');
      return namesIn(listed ?? awaited ?? '*').map((name) => `${target}.ts:${name}`);
    });
    return [file, names] as const;
  }),
);

function namesIn(listed: string): string[] {
  if (!listed.startsWith('{')) return ['*'];
  const names = listed.slice(1, -1).split(',');
  return names
    .map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/( as |:).*/, ''),
    )
    .filter(Boolean);
}

/** How many folders the path of the imported file has below the folder that both have in common. */
function foldersBelowCommon(file: string, target: string): number {
  const [from, to] = [file.split('/').slice(0, -1), target.split('/').slice(0, -1)];
  const differs = to.findIndex((folder, index) => from[index] !== folder);
  return differs < 0 ? 0 : to.length - differs;
}

const folderOf = (file: string) => (file.includes('/') ? (file.split('/')[0] ?? '') : '.');
const layerOf = (file: string) => LAYERS.findIndex((layer) => layer.includes(folderOf(file)));

/** Imports between folders, `from → to`, of the files that `concerns` accepts. */
function importsBetweenFolders(concerns: (from: string, to: string) => boolean): string[] {
  return [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => folderOf(target) !== folderOf(file) && concerns(file, target))
      .map((target) => `${file} → ${target}`),
  );
}

test('every folder has a layer, and every import leads to a file', () => {
  expect(files.filter((file) => layerOf(file) < 0)).toEqual([]);
  const missing = [...imports.values()].flat().filter((target) => !files.includes(target));
  expect(missing).toEqual([]);
});

test('a folder imports only from the layers below its own', () => {
  expect(importsBetweenFolders((from, to) => layerOf(to) >= layerOf(from))).toEqual([]);
});

test('a file imports nothing from the inside of another folder', () => {
  const inside = [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => foldersBelowCommon(file, target) > 1)
      .map((target) => `${file} → ${target}`),
  );
  expect(inside).toEqual([]);
});

test('few files and names of a folder are used by others', () => {
  const used = new Map<string, Set<string>>();
  for (const [file, names] of importedNames)
    for (const name of names)
      if (folderOf(file) !== folderOf(name)) {
        const folder = folderOf(name);
        used.set(folder, (used.get(folder) ?? new Set()).add(name));
      }
  const tooMany = Object.entries(MAX_PUBLIC).flatMap(([folder, [maxFiles, maxNames]]) => {
    const names = [...(used.get(folder) ?? [])];
    const publicFiles = new Set(names.map((name) => name.replace(/:.*/, '')));
    return publicFiles.size > maxFiles || names.length > maxNames
      ? [`${folder}: ${publicFiles.size} files, ${names.length} names`]
      : [];
  });
  expect(tooMany).toEqual([]);
});

test('the library does not import the command line', () => {
  const fromLibrary = importsBetweenFolders(
    (from, to) => folderOf(from) === '.' && folderOf(to) === 'cli',
  );
  expect(fromLibrary).toEqual([]);
});

test('the practice server imports only core/, and only the demo command imports the practice server', () => {
  const foreign = importsBetweenFolders(
    (from, to) =>
      (folderOf(from) === 'practice-server' && folderOf(to) !== 'core') ||
      (folderOf(to) === 'practice-server' && from !== 'cli/commands/demo.ts'),
  );
  expect(foreign).toEqual([]);
});

/** Besides the tables of config/, library/ and books/, which have the names as keys, only these files name a container. */
const NAMES_OF_CONTAINERS: Readonly<Record<string, readonly string[]>> = {
  // The format of each device, and of a book without a choice.
  'config/devices.ts': ['cbz', 'epub', 'pdf'],
  'config/options/file-options.ts': ['cbz'],
  // What reads a file whose name says nothing.
  'library/containers.ts': ['cbz'],
  // The chapters that repair loads, which are always downloaded as CBZ.
  'download/leftovers.ts': ['cbz'],
  'books/write-pdf.ts': ['pdf'],
  // The reason why a book keeps its content.
  'books/rename-book.ts': ['pdf'],
  'collection/retag.ts': ['pdf'],
  // A scan lists PDFs apart, and a CBZ that nothing identifies.
  'library/scan.ts': ['cbz', 'pdf'],
};

test('a decision on a container is made by its row in the tables, not by its name or extension', () => {
  const ofFiles = CONTAINER_NAMES.filter((name) => name !== 'folder').join('|');
  const name = new RegExp(`'(${ofFiles})'|\\\\\\.\\(?(?:\\w+\\|)*(${ofFiles})\\b`, 'g');
  const found = files.flatMap((file) => {
    const source = readFileSync(join(SOURCE, file), 'utf8');
    const text = source.startsWith('/** Generated') ? '' : source.replace(/\/\*.*?\*\//gs, '');
    const names = [...text.matchAll(name)].flatMap(([, quoted, extension]) => quoted ?? extension);
    const allowed = NAMES_OF_CONTAINERS[file] ?? [];
    return names.filter((each) => !allowed.includes(each ?? '')).map((each) => `${file}: ${each}`);
  });
  expect(found).toEqual([]);
});

/** What a download loads before its first request; got comes next, and the schemas while the request is in flight. */
const FIRST_LOADED = [
  'cli/main.ts',
  'cli/run-process.ts',
  'cli/program.ts',
  'cli/commands/download.ts',
  'cli/output/choose-observer.ts',
  'config/settings.ts',
];

test('before the first request, a download loads no package but these', () => {
  const loaded = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const name of loadedWith(file))
      if (name.startsWith('.'))
        visit(join(dirname(file), name).replaceAll('\\', '/').replace(/js$/, 'ts'));
      else if (!name.startsWith('node:')) packages.add(name);
  };
  for (const file of FIRST_LOADED) visit(file);
  expect([...packages].sort()).toEqual(['commander', 'filenamify']);
  expect(loaded.size).toBeGreaterThan(100);
});

/** What the module imports statically, without imports of types alone. */
function loadedWith(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), 'utf8');
  const found = [
    ...text.matchAll(/^(?:import|export) (?!type\b)(?:(\{[^}]*\}|[^{};'"]*?) from )?'([^']+)'/gm),
  ];
  return found.flatMap(([, names = '', source = '']) => {
    const listed = names.startsWith('{') ? names.slice(1, -1).split(',') : [];
    const values = listed.filter((name) => name.trim() !== '' && !/^\s*type /.test(name));
    return listed.length > 0 && values.length === 0 ? [] : [source];
  });
}

test('no import cycles', () => {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});
