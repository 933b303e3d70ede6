/**
 * Compiles the tests and what they import to build-tests/. Node loads that without a hook, with which each import is a
 * round trip to another thread. Only what has changed is compiled.
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { transformSync } from 'rolldown/utils';

const OUTPUT = 'build-tests';

const compiled = new Set();
for (const folder of ['scripts', 'src', 'test']) {
  for (const file of filesOf(folder)) {
    if (!file.endsWith('.ts') || file.endsWith('.d.ts')) continue;
    const target = join(OUTPUT, file.replace(/ts$/, 'js'));
    compiled.add(target);
    const { mtime } = statSync(file);
    if (statSync(target, { throwIfNoEntry: false })?.mtimeMs !== mtime.getTime())
      compile(file, target, mtime);
  }
}
for (const file of filesOf(OUTPUT)) if (!compiled.has(file)) rmSync(file, { force: true });

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function compile(file, target, mtime) {
  const { code, map, errors } = transformSync(file, readFileSync(file, 'utf8'), {
    sourcemap: true,
  });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const source = relative(dirname(target), file).replaceAll('\\', '/');
  const json = JSON.stringify({ ...map, sources: [source], sourcesContent: undefined });
  const mapUrl = `data:application/json;base64,${Buffer.from(json).toString('base64')}`;
  // What a module finds by its own address lies beside its source, other than a program of src/, which is compiled too.
  const address = file.startsWith('src') ? /(?<!\.js", )import\.meta\.url/g : 'import.meta.url';
  const located = code.replaceAll(address, `import.meta.url.replace('/${OUTPUT}/', '/')`);
  mkdirSync(dirname(target), { recursive: true });
  // Another run may load the file at this moment.
  const temporary = `${target}.${process.pid}`;
  writeFileSync(temporary, `${located}\n//# sourceMappingURL=${mapUrl}\n`);
  utimesSync(temporary, mtime, mtime);
  renameSync(temporary, target);
}
