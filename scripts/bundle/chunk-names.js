/**
 * Which of our modules load together. Each file costs a millisecond to find and open, and each byte a little to
 * parse: so what every command needs is one file, what it takes to ask the service something is another, what there
 * is to do after its first answer a third, and the rest stays as the bundler cuts it.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Each group: the modules at its head, and all that they import statically, if no group before has it. */
const HEADS = {
  start: ['cli/main.ts'],
  words: ['cli/run-process.ts', 'cli/program.ts', 'app/paths.ts'],
  service: ['app/settings.ts', 'cli/commands/download.ts', 'cli/output/choose-observer.ts'],
  pages: [
    'app/save-plan.ts',
    'health-reports/sender.ts',
    'health-reports/report-host.ts',
    'api/response-schemas.ts',
    'image/at-home-schema.ts',
  ],
};

/** Gives a module's group by its path; null where it has none. */
export function chunkNames(source) {
  const found = { files: new Map(), packages: new Map() };
  for (const [name, heads] of Object.entries(HEADS)) {
    for (const head of heads) gather(join(source, head), name, found);
  }
  // What stands in for a part of a package goes where that is.
  found.files.set(join(import.meta.dirname, 'no-child-process.cjs'), 'words');
  // A dependency of filenamify. In a chunk of its own, it and `service` would import each other.
  found.packages.set('filename-reserved-regex', 'service');
  return (id) => found.files.get(id) ?? found.packages.get(packageOf(id)) ?? null;
}

function gather(file, name, found) {
  if (found.files.has(file)) return;
  found.files.set(file, name);
  for (const [, target] of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)) {
    if (target.startsWith('.')) {
      gather(resolve(dirname(file), target.replace(/\.js$/, '.ts')), name, found);
    } else if (!found.packages.has(target)) found.packages.set(target, name);
  }
}

/** `import … from '…'` and `export … from '…'`, but for types alone. */
const STATIC_IMPORT = /^(?:import|export)\s+(?!type\b)[^;]*?from '([^']+)';/gm;

function packageOf(id) {
  return /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1];
}
