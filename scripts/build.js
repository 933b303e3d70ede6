/**
 * Makes dist/ from src/: the command line and the library, with all packages that are JavaScript, in chunks that both
 * share. The chunks are CommonJS, which Node loads 10 ms faster than ES modules; the library's entry is an ES module.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { build } from 'rolldown';
import license from 'rollup-plugin-license';
import { bundleOptions, childPrograms, outputPlugins } from './bundle-options.js';

const LOCKS = 'node_modules/fs-native-extensions';

/** What a download does not need of the command line: half of its code. */
const OTHER_COMMANDS =
  /src\/cli\/(commands\/(adopt|bind|completion|config|demo|doctor|help|info|limits|login|logout|overview|refresh|report-status|retag|search|sync-command|verify|whoami)|completion-\w+)\.ts$/;

/** What a download does not need before its first response. */
const PLANNING = new RegExp(
  `src/(?:${[
    'cli/(?:commands/dry-run|read-input|output/(?:observer|result-printer))',
    'core/(?:file-state|file-system|image-trailer|relative-paths|same-file|uuid-set|zip-file)',
    'download/(?:download-archive|leftovers)',
    'download/extras/(?:chapterless-titles|cover|present-chapters|series-metadata)',
    'download/planning/(?:name-files|plan-selection|title-folder)',
    'download/save/(?:announce-saved|describe-chapter|workspace)',
    'events/(?!warning-once).*',
    'library/(?:containers|file|mark|scan|store|comic-info/.*|read/(?:folder|pdf|zip)-content)',
    'plan/.*',
    'selection/(?:collected-titles|exclusions|explain-selection|infer-volumes|same-chapter.*|select-chapters)',
    'service/(?:at-home|feeds|load-image|titles|login/(?:hook-keys|keychain-value))',
    'service/(?:pages/(?:image-check|receive-image)|permits/(?:ledger-view|settlement)|requests/api-errors)',
  ].join('|')})[.]ts$`,
);

const ONLY_THESE = { includeDependenciesRecursively: false };

/** The compiled modules one by one, for worker processes of the tests and for the help. */
const modules = {
  input: [
    'src/cli/main.ts',
    'src/cli/help-texts.ts',
    'src/index.ts',
    ...Object.values(childPrograms),
  ],
  platform: 'node',
  external: /^[^./]/,
  treeshake: false,
  output: { dir: 'build', cleanDir: true, preserveModules: true, preserveModulesRoot: 'src' },
};

const program = {
  input: { main: 'src/cli/main.ts', library: 'src/index.ts', ...childPrograms },
  ...bundleOptions,
  preserveEntrySignatures: 'allow-extension',
  plugins: [
    license({ thirdParty: { output: 'dist/THIRD-PARTY-LICENSES.txt' } }),
    ...outputPlugins,
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
    // What loads together is one file: the command line; the first request; what follows its response. 10 % of the start.
    codeSplitting: {
      groups: [
        {
          name: 'start',
          test: /src\/(core\/(version|executable)|cli\/prepared-help)\.ts$/,
          priority: 5,
        },
        {
          name: 'code-cache',
          test: /src\/(config\/(code-cache|own-folders)|core\/(compiler-tuning|gc-tuning|v8-flags))\.ts$/,
          priority: 4,
        },
        // Loaded late (bundle/late-modules.js). What is missing in a list only makes the start slower.
        { name: 'other-commands', test: OTHER_COMMANDS, priority: 4, ...ONLY_THESE },
        { name: 'planning', test: PLANNING, priority: 4, ...ONLY_THESE },
        { name: 'commands', test: /src\/cli\/(run-process|program)\.ts$/, priority: 3 },
        {
          name: 'service',
          test: /src\/(config\/settings|core\/native-lock|cli\/(with-settings|commands\/download|output\/choose-observer))\.ts$/,
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
if (!isPacked) {
  await build([modules, program]);
  await writeHelpTexts();
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

/** Made by the program that was built, so that help is the same from its text and from the command tree. */
async function writeHelpTexts() {
  const { helpTexts } = await import('../build/cli/help-texts.js');
  const { PREPARED_WIDTHS } = await import('../build/cli/prepared-help.js');
  for (const width of PREPARED_WIDTHS)
    writeFileSync(`dist/help-${width}.json`, JSON.stringify(helpTexts(width)));
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
