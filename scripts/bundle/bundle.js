/**
 * Makes dist/program: the command line in a few files instead of three hundred, since finding, reading and linking three
 * hundred modules is most of the time that a short command takes. The packages inside stay what they are,
 * dependencies of package.json at the versions of package-lock.json; dist/program/PACKAGES.md names each with its
 * licence. The library entry, dist/index.js, is not bundled.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { chunkNames } from './chunk-names.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OUT = join(ROOT, 'dist/program');
const here = (file) => join(ROOT, 'scripts/bundle', file);

/** Parts of packages that are never reached, or of which Node has a faster one. */
const INSTEAD = {
  'http2-wrapper': here('no-http2.js'),
  'cacheable-request': here('no-http-cache.js'),
  'crc-32': here('node-crc-32.js'),
  'readable-stream/passthrough': here('node-pass-through.cjs'),
  'readable-stream': 'node:stream',
  'readdir-glob': here('no-glob.js'),
  'tar-stream': here('no-tar.js'),
  'node:child_process': here('no-child-process.cjs'),
};

const chunkName = chunkNames(join(ROOT, 'src'));
const bundle = await rolldown({
  cwd: ROOT,
  input: { main: join(ROOT, 'src/cli/main.ts') },
  platform: 'node',
  // What is native cannot be put into a text.
  external: ['keytar', /\.node$/],
  resolve: { alias: INSTEAD, mainFields: ['module', 'main'] },
  transform: {
    define: {
      'import.meta.url': 'moduleUrl',
      'Intl.ListFormat': 'LateListFormat',
      __filename: '""',
    },
    inject: { LateListFormat: [here('late-list-format.js'), 'LateListFormat'] },
  },
  preserveEntrySignatures: false,
  logLevel: 'warn',
  onLog: (level, log, tell) => {
    // Which chunk a module goes into is decided in chunk-names.js, and not by how it is imported.
    if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') tell(level, log);
  },
});
const { output } = await bundle.write({
  dir: OUT,
  cleanDir: true,
  charset: 'ascii',
  // CommonJS: Node loads it in half the time, without a promise for each step.
  format: 'cjs',
  dynamicImportInCjs: false,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  intro: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;",
  // Shorter names too: what is not read need not be parsed. What DEBUG=tankobon prints has them; src/ has the rest.
  minify: { mangle: true, compress: true, codegen: { removeWhitespace: true } },
  comments: false,
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ debugName: 'what loads together', name: chunkName }],
  },
});
await bundle.close();
// Pages of the practice service, found beside the program as they are beside its source.
cpSync(join(ROOT, 'src/practice-server/fixtures'), join(ROOT, 'dist/fixtures'), {
  recursive: true,
});
writeFileSync(join(OUT, 'package.json'), '{"type":"commonjs"}\n');
writeFileSync(
  join(OUT, 'PACKAGES.md'),
  packageList(output.flatMap(({ modules = {} }) => Object.keys(modules))),
);

function packageList(modules) {
  const folders = new Set(
    modules.flatMap((id) => {
      const path = relative(ROOT, id).split(sep).join('/');
      return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [];
    }),
  );
  const sections = [...folders].sort().map((folder) => {
    const facts = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    const title = `## ${facts.name} ${facts.version} (${facts.license})`;
    return `${title}\n\n${licenceText(join(ROOT, folder))}\n`;
  });
  return `# Packages inside this folder\n\nEach with its licence.\n\n${sections.join('\n')}`;
}

function licenceText(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) return 'It carries no text of its licence.';
  const text = readFileSync(join(folder, file), 'utf8').trim();
  return text.replace(/^/gm, '    ').replace(/[ \t]+$/gm, '');
}
