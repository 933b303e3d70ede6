/** What the bundles of the package and of the executable have in common. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { interpretedSchemas } from './bundle/interpreted-schemas.js';
import { lateModules } from './bundle/late-modules.js';
import { plainExports } from './bundle/plain-exports.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const replacement = (file) => fileURLToPath(new URL(`bundle/${file}`, import.meta.url));

/** Programs that run in processes of their own (src/core/child-program.ts). */
export const childPrograms = {
  'image-worker': 'src/books/device/image-worker.ts',
  'keychain-worker': 'src/service/login/keychain-worker.ts',
  'png-converter': 'src/books/png-converter.ts',
};

export const bundleOptions = {
  platform: 'node',
  // Native: they have a binary for each platform. Users install sharp themselves if they want it.
  external: ['keytar', 'sharp'],
  // Each replacement speeds up the start or makes the package smaller; its file has the figure.
  resolve: {
    alias: {
      'node:fs/promises': replacement('callback-fs.js'),
      'http2-wrapper': replacement('no-http2.js'),
      'cacheable-request': replacement('no-http-cache.js'),
      'cacheable-lookup': replacement('no-dns-cache.js'),
      fontkit: replacement('no-fonts.js'),
      linebreak: replacement('no-fonts.js'),
      'ajv/dist/2020.js': replacement('no-settings-schema.js'),
      'ajv-formats': replacement('no-settings-schema.js'),
      semver: replacement('no-settings-migrations.js'),
      debug: replacement('no-debug.js'),
      'buffer-crc32': replacement('zip-archives-only.js'),
      'readdir-glob': replacement('zip-archives-only.js'),
      'tar-stream': replacement('zip-archives-only.js'),
      'crc-32': replacement('node-crc-32.js'),
      'readable-stream/passthrough': replacement('node-pass-through.cjs'),
      'readable-stream': 'node:stream',
    },
  },
  transform: {
    define: { 'Intl.ListFormat': 'LateListFormat', PACKAGE_VERSION: JSON.stringify(version) },
    inject: { LateListFormat: [replacement('late-list-format.js'), 'LateListFormat'] },
  },
  checks: { ineffectiveDynamicImport: false },
};

export const outputPlugins = [
  interpretedSchemas,
  lateModules,
  plainExports,
  { name: 'ascii', generateBundle: escapeNonAscii },
];

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
