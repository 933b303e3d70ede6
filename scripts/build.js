/**
 * Makes dist/ from src/: the command line and the library, with all packages that are JavaScript, in chunks that both
 * share. The chunks are CommonJS, which Node loads 10 ms faster than ES modules; the library's entry is an ES module.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import license from 'rollup-plugin-license';
import { lateModules } from './bundle/late-modules.js';

const LOCKS = 'node_modules/fs-native-extensions';
const replacement = (file) => fileURLToPath(new URL(`bundle/${file}`, import.meta.url));

/** Programs that run in processes of their own (src/core/child-program.ts). */
const childPrograms = {
  'image-worker': 'src/books/device/image-worker.ts',
  'keychain-worker': 'src/service/login/keychain-worker.ts',
  'png-converter': 'src/books/png-converter.ts',
};

/** The compiled modules one by one, for worker processes of the tests. */
const modules = {
  input: ['src/cli/main.ts', 'src/index.ts', ...Object.values(childPrograms)],
  platform: 'node',
  external: /^[^./]/,
  treeshake: false,
  output: { dir: 'build', cleanDir: true, preserveModules: true, preserveModulesRoot: 'src' },
};

const program = {
  input: { main: 'src/cli/main.ts', library: 'src/index.ts', ...childPrograms },
  platform: 'node',
  // Native: they have a binary for each platform. Users install sharp themselves if they want it.
  external: ['keytar', 'sharp'],
  // Each replacement speeds up the start or makes the package smaller; its file has the figure.
  resolve: {
    alias: {
      'http2-wrapper': replacement('no-http2.js'),
      'cacheable-request': replacement('no-http-cache.js'),
      fontkit: replacement('no-fonts.js'),
      linebreak: replacement('no-fonts.js'),
      'ajv/dist/2020.js': replacement('no-settings-schema.js'),
      'ajv-formats': replacement('no-settings-schema.js'),
      semver: replacement('no-settings-migrations.js'),
      debug: replacement('no-debug.js'),
      'crc-32': replacement('node-crc-32.js'),
      'readable-stream/passthrough': replacement('node-pass-through.cjs'),
      'readable-stream': 'node:stream',
    },
  },
  transform: {
    define: { 'Intl.ListFormat': 'LateListFormat' },
    inject: { LateListFormat: [replacement('late-list-format.js'), 'LateListFormat'] },
  },
  checks: { ineffectiveDynamicImport: false },
  plugins: [
    license({ thirdParty: { output: 'dist/THIRD-PARTY-LICENSES.txt' } }),
    lateModules,
    { name: 'ascii', generateBundle: escapeNonAscii },
    { name: 'library-entry', generateBundle: writeLibraryEntry },
    { name: 'files', writeBundle: writeFiles },
  ],
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'cjs',
    dynamicImportInCjs: false,
    entryFileNames: 'program/[name].js',
    chunkFileNames: 'program/[name]-[hash].js',
    // Readable, so that people can check it and traces name functions; what is never called is left out.
    minify: 'dce-only',
    comments: false,
    // What loads together is one file: all commands; the first request; what follows its response. 10 % of the start.
    codeSplitting: {
      groups: [
        {
          name: 'code-cache',
          test: /src\/(config\/(code-cache|own-folders)|core\/gc-tuning)\.ts$/,
          priority: 5,
        },
        { name: 'version', test: /src\/core\/version\.ts$/, priority: 4 },
        { name: 'commands', test: /src\/cli\/(run-process|program)\.ts$/, priority: 3 },
        {
          name: 'service',
          test: /src\/(config\/settings|cli\/commands\/download|cli\/output\/choose-observer)\.ts$/,
          priority: 2,
        },
        {
          name: 'pages',
          test: /src\/(download\/save\/save-plan|service\/(reports\/(sender|report-host)|catalogue\/response-schemas|pages\/at-home-schema))\.ts$/,
          priority: 1,
        },
      ],
    },
  },
};

// npm also runs "prepare" after "prepack", which has built and added the types.
const isPacked =
  process.argv.includes('--prepare') && ['pack', 'publish'].includes(process.env.npm_command);
if (!isPacked) await build([modules, program]);

/**
 * Node reads a file of ASCII characters faster, and V8 keeps it in half the memory: 3 % of the time to the first request.
 * A chunk with such characters in String.raw, which has no escapes, stays as it is.
 */
function escapeNonAscii(_, bundle) {
  for (const chunk of Object.values(bundle)) {
    if (chunk.type !== 'chunk') continue;
    const raws = chunk.code.match(/String\.raw`[^`]*`/g) ?? [];
    if (raws.some((text) => /[^ -~\s]/.test(text))) continue;
    chunk.code = chunk.code.replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  }
}

function writeLibraryEntry(_, bundle) {
  const { exports } = bundle['program/library.js'];
  const source = `import library from './program/library.js';\nexport const { ${exports.join(', ')} } = library;\n`;
  this.emitFile({ type: 'asset', fileName: 'index.js', source });
  this.emitFile({
    type: 'asset',
    fileName: 'program/package.json',
    source: '{"type":"commonjs"}\n',
  });
}

/** The pages of the practice server, the binaries of the file locks, and the list of what is inside. */
function writeFiles(_, bundle) {
  cpSync('src/practice-server/fixtures', 'dist/fixtures', { recursive: true });
  for (const system of ['darwin', 'linux', 'win32']) {
    for (const processor of ['arm64', 'x64']) {
      const file = `prebuilds/${system}-${processor}/fs-native-extensions.node`;
      cpSync(`${LOCKS}/${file}`, `dist/${file}`);
    }
  }
  cpSync(`${LOCKS}/LICENSE`, 'dist/prebuilds/LICENSE');
  writeFileSync(
    'build/bundled-packages.json',
    JSON.stringify(bundledPackages(bundle), undefined, 2),
  );
}

/** The packages inside, such as `got@14.6.6`. */
function bundledPackages(bundle) {
  const modules = Object.values(bundle)
    .flatMap(({ modules = {} }) => Object.entries(modules))
    .flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : []));
  const folders = modules.flatMap((id) => {
    const path = relative('.', id.replace(/^\0/, '')).split(sep).join('/');
    return /^node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [];
  });
  return [...new Set([...folders, LOCKS])].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    return `${name}@${version}`;
  });
}
