/**
 * Completes package-lock.json (`npm run lock`): npm leaves out the packages of other platforms that it has not resolved,
 * and then `npm ci` fails (https://github.com/npm/cli/issues/4828).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const LOCK_FILE = 'package-lock.json';
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openbsd', 'openharmony', 'win32'];
const LIBC = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };

/** The platform in a name such as `@swc/core-linux-x64-musl`, in npm's fields. */
function platformOf(name) {
  const words = name.split(/[-/]/);
  if (words.includes('wasm32')) return { cpu: ['wasm32'] };
  const at = words.findIndex((word) => SYSTEMS.includes(word));
  if (at < 0) throw new Error(`No platform in the name of the optional package ${name}`);
  const [system, cpu, abi] = words.slice(at);
  const libc = system === 'linux' ? LIBC[abi] : undefined;
  return { cpu: [cpu], ...(libc && { libc: [libc] }), os: [system] };
}

const lock = JSON.parse(readFileSync(LOCK_FILE, 'utf8'));
const { packages } = lock;
for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const isLocked = packages[`${path}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
    if (isLocked) continue;
    packages[`node_modules/${name}`] = { version, dev, optional: true, ...platformOf(name) };
    process.stdout.write(`${name}@${version}\n`);
  }
}
writeFileSync(LOCK_FILE, `${JSON.stringify(lock, undefined, 2)}\n`);
